"""Commands that queue background work and do it themselves."""

from __future__ import annotations

from rag_pipeline.background.tasks import run_inline
from rag_pipeline.errors import PipelineError
from rag_pipeline.management.base import WorkbenchCommand
from rag_pipeline.models import BackgroundTask
from rag_pipeline.types import Progress


def finish_inline(command: WorkbenchCommand, task: BackgroundTask | None) -> BackgroundTask:
    """Do a queued task in this process, with the command's progress bar. Raises PipelineError when it failed."""
    if task is None:
        raise PipelineError("There is nothing to do.")
    done = run_inline(task, lambda now: command.show_progress(Progress(now.step, now.done, now.total)))
    command.bar.clear()
    if done.state != BackgroundTask.State.DONE:
        raise PipelineError(done.error or "Stopped before it was done.")
    return done
