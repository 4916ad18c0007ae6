"""URLs of the pages for writing: workspace, sections, comments, history and saved versions."""

from django.urls import path

from sections import find_pages, outline_pages, side_panels, snapshot_pages, views

app_name = "sections"

_COMMENT = "projects/<uuid:project_id>/sections/<slug:slug>/comments/<uuid:comment_id>/"
_SNAPSHOT = "projects/<uuid:project_id>/snapshots/<uuid:snapshot_id>/"

urlpatterns = [
    path("projects/<uuid:project_id>/", views.workspace, name="workspace"),
    path("projects/<uuid:project_id>/sections/", outline_pages.add, name="add"),
    path("projects/<uuid:project_id>/files/by-path/<path:path>", views.by_path, name="file_by_path"),
    # One section
    path("projects/<uuid:project_id>/sections/<slug:slug>/", views.section, name="section"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/rename/", outline_pages.rename, name="rename"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/move/", outline_pages.move, name="move"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/remove/", outline_pages.remove, name="remove"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/restore/", outline_pages.restore, name="restore"),
    path("projects/<uuid:project_id>/sections/<slug:slug>/history/", side_panels.history, name="history"),
    path(
        "projects/<uuid:project_id>/sections/<slug:slug>/versions/<int:version>/", side_panels.version, name="version"
    ),
    # Comments on it
    path("projects/<uuid:project_id>/sections/<slug:slug>/comments/", side_panels.comments, name="comments"),
    path(f"{_COMMENT}reply/", side_panels.change_comment, {"what": "reply"}, name="reply"),
    path(f"{_COMMENT}edit/", side_panels.change_comment, {"what": "edit"}, name="edit_comment"),
    path(f"{_COMMENT}delete/", side_panels.change_comment, {"what": "delete"}, name="delete_comment"),
    path(f"{_COMMENT}resolve/", side_panels.change_comment, {"what": "resolve"}, name="resolve"),
    # Words in the whole thesis
    path("projects/<uuid:project_id>/find/", find_pages.find, name="find"),
    path("projects/<uuid:project_id>/find/replace/", find_pages.replace, name="replace"),
    path("projects/<uuid:project_id>/find/<uuid:replacement_id>/undo/", find_pages.undo, name="undo_replacement"),
    # Saved versions of the whole thesis
    path("projects/<uuid:project_id>/snapshots/", snapshot_pages.snapshots, name="snapshots"),
    path(_SNAPSHOT, snapshot_pages.snapshot, name="snapshot"),
    path(f"{_SNAPSHOT}restore/", snapshot_pages.restore, name="restore_snapshot"),
    path(f"{_SNAPSHOT}rename/", snapshot_pages.rename, name="rename_snapshot"),
    path(f"{_SNAPSHOT}delete/", snapshot_pages.delete, name="delete_snapshot"),
]
