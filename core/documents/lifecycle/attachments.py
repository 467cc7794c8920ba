"""State of the files that a question was sent with: documents, or uploads that wait for a decision."""

from collections.abc import Sequence

from core.documents.lifecycle.pending_uploads import PendingUploads
from core.documents.model import DocumentStatus, share_done
from core.documents.ports.documents import Documents
from core.documents.ports.ingestion import IngestRecords
from core.runs.model import AttachedFile, Attachment, AttachmentStatus


class Attachments:
    def __init__(self, documents: Documents, records: IngestRecords, pending: PendingUploads) -> None:
        self._documents = documents
        self._records = records
        self._pending = pending

    def look(self, base_id: str, files: Sequence[AttachedFile]) -> tuple[Attachment, ...]:
        """In the order of the files."""
        return tuple(self._state(base_id, file) for file in files)

    def _state(self, base_id: str, file: AttachedFile) -> Attachment:
        document = self._documents.with_content(base_id, file.sha256)
        if document is None:
            held = any(upload.sha256 == file.sha256 for upload in self._pending.entries(base_id))
            return Attachment(file.name, AttachmentStatus.UNDECIDED if held else AttachmentStatus.GONE)
        stages = self._records.stages(document.id) if document.status is DocumentStatus.RUNNING else []
        under_way = next((row.stage for row in stages if row.status == "running"), None)
        return Attachment(
            file.name,
            AttachmentStatus(document.status.value),
            round(share_done(stages), 2),
            under_way,
            document.error_key,
            document.error_params,
        )
