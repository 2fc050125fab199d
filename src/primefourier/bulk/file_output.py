"""Write all codes into one file, which appears when it is whole."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial

from primefourier.bulk.each import Each
from primefourier.bulk.encode_batch import encode_batch
from primefourier.bulk.errors import BadRowError, writing
from primefourier.bulk.job import Job
from primefourier.bulk.rejects import reject_lines
from primefourier.bulk.source import Source
from primefourier.bulk.summary import Progress, Summary
from primefourier.bulk.unfinished import Unfinished
from primefourier.bulk.writer import open_writer

STARTS_OVER = (
    "an earlier run was interrupted; a single file cannot be continued, so it starts over; give "
    "--out a folder for runs that can be continued"
)


def write_file(
    job: Job,
    source: Source,
    *,
    each: Each,
    watch: Callable[[Progress], None],
    tell: Callable[[str], None],
) -> Summary:
    """Encode the input of a job into one file.

    Args:
        job: What to encode, and where to; existing output is replaced.
        source: The job's input, opened.
        each: Encodes the batches, here or on a cluster, and gives them back in order.
        watch: Called at the beginning and after each batch.
        tell: Called with a sentence if an earlier run was interrupted.

    Returns:
        How it ended.

    Raises:
        BadRowError: At the first bad row, unless they are to be left out; nothing is written then.
        BulkError: If input or output cannot be used.
    """
    progress = Progress()
    with ExitStack() as stack:
        out = stack.enter_context(Unfinished(job.out))
        rejects = None if job.rejects is None else stack.enter_context(Unfinished(job.rejects))
        if out.earlier:
            tell(STARTS_OVER)
        watch(progress)
        with writing(job.out):
            writer = open_writer(
                out.file,
                job.format,
                source.schema,
                name=job.name,
                recipe=job.recipe,
                keep=job.keep,
            )
        stack.callback(writer.abandon)
        batches = stack.enter_context(closing(source.batches(job.rows)))
        encoded = each(partial(encode_batch, recipe=job.recipe), batches)
        for batch in encoded:
            if batch.bad and rejects is None:
                raise BadRowError(job.source, batch.bad[0])
            with writing(job.out):
                writer.write(batch)
            if rejects is not None and batch.bad:
                with writing(rejects.path):
                    rejects.file.write(reject_lines(job.source, batch.bad))
            progress = progress.after(
                rows=len(batch.codes), rejected=len(batch.bad), share=batch.share
            )
            watch(progress)
        with writing(job.out):
            writer.close()
        job.require_unchanged()
        _finish(job, out, rejects if progress.rejected else None)
    return Summary(
        rows=progress.rows,
        rejected=progress.rejected,
        out=job.out,
        rejects=job.rejects if progress.rejected else None,
        started_over=out.earlier,
    )


def _finish(job: Job, out: Unfinished, rejects: Unfinished | None) -> None:
    """Give both files their names, the output last: where it is, all is."""
    if rejects is not None:
        rejects.finish()
    elif job.rejects is not None:
        job.rejects.unlink(missing_ok=True)  # those of the output that is replaced
    out.finish()
