"""What people add to their library of references: tags, saved filters, and how new keys are made (SPEC C5, C9)."""

from django.db import models

from projects.models import Project


class Tag(models.Model):
    """A tag of a project. `folded` is its name without capitals, so that "Sepsis" and "sepsis" are one tag."""

    LONGEST = 60  # characters

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=LONGEST)
    folded = models.CharField(max_length=4 * LONGEST)  # folding may make a name longer
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["folded"]
        constraints = [models.UniqueConstraint(fields=["project", "folded"], name="one_tag_per_name")]

    def __str__(self) -> str:
        return self.name


class Tagging(models.Model):
    """A reference that has a tag."""

    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, related_name="taggings")
    citation = models.ForeignKey("citations.Citation", on_delete=models.CASCADE, related_name="taggings")

    class Meta:
        ordering = ["tag__folded"]
        constraints = [models.UniqueConstraint(fields=["tag", "citation"], name="one_tagging_per_reference")]

    def __str__(self) -> str:
        return f"{self.tag_id} on {self.citation_id}"


class SavedFilter(models.Model):
    """A search of the list of references, saved under a name for all members: words, filter, tag and order."""

    LONGEST = 60  # characters of the name

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="saved_filters")
    name = models.CharField(max_length=LONGEST)
    folded = models.CharField(max_length=4 * LONGEST)
    q = models.CharField(max_length=200, blank=True)
    show = models.CharField(max_length=20, blank=True)
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, null=True, blank=True, related_name="saved_filters")
    sort = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["folded"]
        constraints = [models.UniqueConstraint(fields=["project", "folded"], name="one_filter_per_name")]

    def __str__(self) -> str:
        return self.name


class KeyPatternQuerySet(models.QuerySet["KeyPattern"]):
    """Queries for patterns of keys."""

    def of(self, project: Project) -> str:
        """Return the pattern of a project; empty for the usual one."""
        return self.filter(project=project).values_list("pattern", flat=True).first() or ""


class KeyPattern(models.Model):
    """How a project makes the keys of new references; without a row they are made of surname and year."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, primary_key=True, related_name="key_pattern")
    pattern = models.CharField(max_length=30)

    objects = KeyPatternQuerySet.as_manager()

    def __str__(self) -> str:
        return self.pattern
