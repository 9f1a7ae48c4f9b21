# The workbench in a container: docker build -t workbench . && docker run -p 127.0.0.1:8000:8000 -v workbench:/data workbench
# The steps are the make targets of the README.
#
# Without a GPU the CPU build of torch spares gigabytes: pass the CPU wheel index given on PyTorch's Get started page as
#   docker build --build-arg TORCH_INDEX=<that address> -t workbench .

FROM python:3.11-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY Makefile requirements.txt requirements-model.txt constraints.txt ./
COPY scripts scripts
ARG TORCH_INDEX=""
RUN PIP_EXTRA_INDEX_URL="$TORCH_INDEX" PIP_NO_CACHE_DIR=1 make packages PYTHON=python3.11

FROM python:3.11-slim-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends make libgomp1 && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 workbench \
    && install -d -o workbench /data
WORKDIR /app
COPY --from=build /app/.venv .venv
COPY . .
# Compiled once here: the application's folder belongs to root and cannot be written later.
RUN .venv/bin/python -m compileall -q rag_pipeline evaluation workbench
ENV WORKBENCH_DATA_DIR=/data PYTHONUNBUFFERED=1
USER workbench
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["/app/.venv/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz')"]
# Listens on all addresses of the container; who reaches it is decided by docker run -p.
CMD ["make", "--no-print-directory", "run", "HOST=0.0.0.0"]
