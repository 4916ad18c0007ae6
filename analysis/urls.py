"""Addresses of this room."""

from django.urls import URLPattern, path

from analysis.pages import data, result, sample_size, wizard

app_name = "analysis"
urlpatterns: list[URLPattern] = [
    # Data
    path("projects/<uuid:project_id>/data/add/", data.add_data, name="add_data"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/", data.data, name="data"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/progress/", data.progress, name="data_progress"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/stop/", data.stop, name="stop_reading"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/read-again/", data.read_differently, name="read_again"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/drop-columns/", data.drop_columns, name="drop_columns"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/rows/", data.choose_rows, name="choose_rows"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/name/", data.rename_data, name="rename_data"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/people/", data.say_who, name="say_who"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/delete/", data.remove_data, name="remove_data"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/download/", data.download, name="download_data"),
    path("datasets/<uuid:version_id>/", data.version, name="version"),
    # New analyses
    path("projects/<uuid:project_id>/analyses/new/", wizard.wizard, name="wizard"),
    path("projects/<uuid:project_id>/analyses/sample-size/", sample_size.sample_size, name="sample_size"),
    # Results
    path("projects/<uuid:project_id>/analyses/", result.index, name="index"),
    path("projects/<uuid:project_id>/analyses/<uuid:analysis_id>/", result.result, name="result"),
    path("projects/<uuid:project_id>/analyses/<uuid:analysis_id>/progress/", result.progress, name="progress"),
    path("projects/<uuid:project_id>/analyses/<uuid:analysis_id>/again/", result.run_again, name="again"),
    path("projects/<uuid:project_id>/analyses/<uuid:analysis_id>/delete/", result.delete, name="delete"),
    path(
        "projects/<uuid:project_id>/analyses/<uuid:analysis_id>/compare/<uuid:other_id>/",
        result.compared,
        name="compare",
    ),
    # Results as files
    path("projects/<uuid:project_id>/analyses/figures/<uuid:figure_id>.<str:format>", result.figure, name="figure"),
    path("projects/<uuid:project_id>/analyses/<uuid:analysis_id>/script.zip", result.script, name="script"),
    path("projects/<uuid:project_id>/analyses/<uuid:analysis_id>/table.tex", result.table, name="table"),
    path("projects/<uuid:project_id>/analyses/<uuid:analysis_id>/stop/", result.stop, name="stop"),
    path("analyses/<uuid:analysis_id>/", result.of_job, name="analysis"),
]
