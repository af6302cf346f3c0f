"""The form that starts a training."""

from django import forms

from taxonomy.models import TrainedModel


class TrainForm(forms.Form):
    kind = forms.ChoiceField(
        label="Kind of model",
        required=False,
        choices=[("", "Choose for me"), *TrainedModel.Kind.choices],
    )
