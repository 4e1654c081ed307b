# %% [markdown]
# # A regression, and a problem of three classes
#
# An outcome need not be yes or no. Here it is a number that should end up in a range, and then one
# of three classes.
#
# ## A number
# 442 patients, and how far their diabetes went within a year, between 25 and 346: a table of
# scikit-learn in its original units.

# %%
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ifonly

data, progression = load_diabetes(as_frame=True, scaled=False, return_X_y=True)
forest = RandomForestRegressor(60, min_samples_leaf=3, random_state=0).fit(data, progression)
patient = data[80:81]
print(patient.to_string())
print(f"the model expects {forest.predict(patient)[0]:.0f}")


# %% [markdown]
# `target` is a range, and `None` leaves an end open: how would the model expect less than 120?

# %%
space = ifonly.Space.infer(data, categorical=["sex"])
explainer = ifonly.Explainer(forest, data=data, space=space)
answers = explainer.explain(patient, target=(None, 120), k=3)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# An age of 57 is no advice to somebody of 68. And `s1` to `s4` are cholesterol values that follow from
# one another, so that none of them changes alone. What can be treated here is weight, blood pressure,
# triglycerides (`s5`, a logarithm) and glucose (`s6`); all of them downwards, and within a year.

# %%
rules = [
    "only bmi, bp, s5, s6 change",
    "bmi only decreases",
    "bmi changes by at most 12%",
    "bp only decreases",
    "bp at least 80",
    "s5 only decreases",
    "s6 only decreases",
]
answers = explainer.explain(patient, target=(None, 120), k=2, rules=rules)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# An answer is what *the model* would say, not a therapy: the forest saw 442 people, once. How far the
# outcome moves with each change, step by step:

# %%
print(answers.contributions(0).round(1).to_string(index=False))

# %% [markdown]
# Each row may have a range of its own. The third patient is so well that no change within the rules
# lowers the number by another fifth, and that is proved:

# %%
three = data[80:83]
expected = forest.predict(three)
ranges = [(None, round(0.8 * value)) for value in expected]
answers = explainer.explain(three, target=ranges, k=1, rules=rules)
for before, sentences in zip(expected, answers.sentences(), strict=True):
    print(f"{before:.0f}:", *sentences)

# %% [markdown]
# ## Three classes
# 178 wines from three kinds of grape, and what a laboratory measured. Which kind is it?

# %%
wines, grape = load_wine(as_frame=True, return_X_y=True)
grape = grape.map({0: "A", 1: "B", 2: "C"})
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(wines, grape)
wine = wines[60:61]
print(model.predict(wine)[0], model.predict_proba(wine).round(2)[0], list(model.classes_))

# %% [markdown]
# With three classes there is no opposite. `target="other"` asks for any other class, a name for that one:

# %%
explainer = ifonly.Explainer(model, data=wines)
for target in ("other", "C", "A"):
    answers = explainer.explain(wine, target=target, k=2)
    print(target, *answers.sentences()[0], sep="\n  ")

# %% [markdown]
# Phenols and flavanoids are measured on the same molecules: a wine with more of the one has more of the
# other. And no cellar makes a wine of 14.75 out of one of 12.33. State both:

# %%
rules = [
    "flavanoids increases => total_phenols increases",
    "flavanoids <= 1.2 * total_phenols",
    "alcohol changes by at most 1",
]
answers = explainer.explain(wine, target="A", k=2, rules=rules)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# Several wines, each with a target of its own:

# %%
some = wines[60:64]
answers = explainer.explain(some, target=["C", "A", "other", "C"], k=1)
print(
    answers.frame()[["alcohol", "flavanoids", "color_intensity", "proline", "prediction", "score"]]
)

# %% [markdown]
# ## Where to go next
# [Look closer at an answer](../guides/look-closer.md): contributions, regions, agreement of other
# models. [State what can change](../guides/state-what-can-change.md): every rule.
