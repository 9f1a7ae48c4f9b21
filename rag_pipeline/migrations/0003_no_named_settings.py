"""Saved, named pipeline settings go: no page ever stored one; what is saved are the preferred settings."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("rag_pipeline", "0002_pace_of_the_present_step")]

    operations = [migrations.DeleteModel(name="PipelineConfig")]
