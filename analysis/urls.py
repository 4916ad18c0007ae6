"""URL patterns of the analysis app."""

from django.urls import URLPattern, path

from analysis.pages import dataset, result, sample_size, wizard

app_name = "analysis"
urlpatterns: list[URLPattern] = [
    # Data
    path("projects/<uuid:project_id>/data/add/", dataset.add_data, name="add_data"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/", dataset.data, name="data"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/progress/", dataset.progress, name="data_progress"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/stop/", dataset.stop, name="stop_reading"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/read-again/", dataset.read_differently, name="read_again"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/drop-columns/", dataset.drop_columns, name="drop_columns"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/rows/", dataset.choose_rows, name="choose_rows"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/name/", dataset.rename_data, name="rename_data"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/people/", dataset.say_who, name="say_who"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/delete/", dataset.remove_data, name="remove_data"),
    path("projects/<uuid:project_id>/data/<uuid:dataset_id>/download/", dataset.download, name="download_data"),
    path("datasets/<uuid:version_id>/", dataset.version, name="version"),
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
