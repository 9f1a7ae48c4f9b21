"""ASGI entry point, for uvicorn."""

import os
import warnings

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
# WhiteNoise hands files to Django as plain iterators. They are read whole before they are sent, which is right for
# the few static files; Django warns because it would be wrong for a stream.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
application = get_asgi_application()
