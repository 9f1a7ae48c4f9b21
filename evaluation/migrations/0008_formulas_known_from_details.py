"""Scorings made before revisions were kept: which of them hold the present formula of `groundedness_offline`."""

from django.db import migrations


def note_formulas(apps, schema_editor):
    """Its second formula, and only that one, has kept the share of words beside the support."""
    scores = apps.get_model("evaluation", "MetricScore").objects.filter(metric="groundedness_offline")
    second = scores.filter(details__has_key="support").order_by().values("scoring").distinct()
    apps.get_model("evaluation", "Scoring").objects.filter(pk__in=second).update(formulas={"groundedness_offline": 2})


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0007_formulas_of_scoring'),
    ]

    operations = [migrations.RunPython(note_formulas, migrations.RunPython.noop)]
