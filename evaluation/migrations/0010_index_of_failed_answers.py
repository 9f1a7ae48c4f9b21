"""Failed answers are few among many large rows: lists of runs count them without reading those."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0009_one_store_of_replies'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='answer',
            index=models.Index(condition=models.Q(('error', ''), _negated=True), fields=['run'], name='answer_failed'),
        ),
    ]
