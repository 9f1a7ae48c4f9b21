"""Saved filters of a page go: no page ever stored any."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("workbench", "0001_initial")]

    operations = [migrations.DeleteModel(name="SavedView")]
