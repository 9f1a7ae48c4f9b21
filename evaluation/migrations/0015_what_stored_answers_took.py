from statistics import median

from django.db import migrations

AMOUNTS = ("prompt_tokens", "completion_tokens", "cost_usd")


def add_up(apps, schema_editor):
    """Fill `took` for the runs that were scored before it was kept."""
    runs, answers = apps.get_model("evaluation", "Run"), apps.get_model("evaluation", "Answer")
    for pk in runs.objects.filter(scorings__isnull=False).distinct().values_list("pk", flat=True):
        rows = list(answers.objects.filter(run=pk, error="").order_by().values("latency_s", *AMOUNTS))
        latencies = [row["latency_s"] for row in rows if row["latency_s"] is not None]
        took = {"answers": len(rows), "latency_p50": median(latencies) if latencies else None}
        for name in AMOUNTS:
            values = [row[name] for row in rows]
            took[name] = sum(values) if values and None not in values else None
        runs.objects.filter(pk=pk).update(took=took)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0014_tags_and_what_answers_took")]
    operations = [migrations.RunPython(add_up, migrations.RunPython.noop)]
