"""Sources of the tables: the results stored in configs/reference/results."""

import csv
import json
import os

from tables.text import UserError

DATA = os.path.join("configs", "reference", "results")


class Results:
    """configs/reference/results, and the papers' numbers beside it."""

    def __init__(self, root):
        self.folder = os.path.join(root, DATA)
        self.references = os.path.join(root, "configs", "reference")
        self.summaries = {}

    def reproduction(self):
        return self.read_json("reproduction.json")

    def read_json(self, name):
        path = os.path.join(self.folder, name)
        try:
            with open(path, encoding="utf-8") as handle:
                return json.load(handle)
        except (OSError, ValueError) as error:
            raise UserError(f"{path}: {error}") from error

    def atlas(self, figure):
        """The points of a figure in atlas.json."""
        for study in self.read_json("atlas.json"):
            if study["figure"] == figure:
                return study
        raise KeyError(figure)

    def summary(self, experiment):
        """Rows of a sweep, numbers as numbers."""
        if experiment not in self.summaries:
            self.summaries[experiment] = self.read_csv(os.path.join(self.folder, experiment + ".csv"))
        return self.summaries[experiment]

    def reference(self, name):
        return self.read_csv(os.path.join(self.references, name + ".csv"))

    @staticmethod
    def read_csv(path):
        try:
            with open(path, encoding="utf-8", newline="") as handle:
                return list(csv.DictReader(handle))
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from error

    def value(self, experiment, layer, variant, column):
        """Mean over the seeds, or None."""
        found = [float(row[column]) for row in self.summary(experiment)
                 if row["layer"] == layer and row["variant"] == variant and row.get(column)]
        return sum(found) / len(found) if found else None

    def baseline(self, experiment, variant):
        return next((row["baseline"] for row in self.summary(experiment) if row["variant"] == variant), variant)

    def ratio(self, experiment, layer, variant, column):
        """The baseline's value over the variant's, or None."""
        ours = self.value(experiment, layer, variant, column)
        base = self.value(experiment, layer, self.baseline(experiment, variant), column)
        return base / ours if ours and base else None

    def layers(self, experiment):
        return list(dict.fromkeys(row["layer"] for row in self.summary(experiment)))

    def mean(self, experiment, variant, column):
        found = [self.value(experiment, layer, variant, column) for layer in self.layers(experiment)]
        found = [value for value in found if value is not None]
        return sum(found) / len(found) if found else None
