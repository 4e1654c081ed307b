# %% [markdown]
# # From dice-ml to ifonly, on a real example
#
# You have a notebook that uses dice-ml. This is the usual one, a forest over the Adult data; each step
# of it stands above the same step in ifonly. The ifonly part is run here; the other was run with dice-ml
# 0.12, in an environment of its own.
#
# ```python
# # dice-ml
# import dice_ml
#
# data = dice_ml.Data(
#     dataframe=train_with_income,
#     continuous_features=["age", "hours_per_week"],
#     outcome_name="income",
# )
# model = dice_ml.Model(model=pipeline, backend="sklearn")
# explainer = dice_ml.Dice(data, model, method="random")
# ```
# There is no `Data` and no `Model`: the training frame without its outcome and the fitted pipeline.

# %%
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ifonly

train, test = ifonly.datasets.load("adult").split()
encode = make_column_transformer(
    (OneHotEncoder(), list(train.categorical)), remainder="passthrough"
)
pipeline = make_pipeline(encode, RandomForestClassifier(30, min_samples_leaf=3, random_state=0))
pipeline.fit(train.features[:8000], train.outcome[:8000])

plain = ifonly.Explainer(pipeline, data=train.features)

# %% [markdown]
# ## Ask
# ```python
# # dice-ml
# found = explainer.generate_counterfactuals(queries, total_CFs=4, desired_class="opposite")
# found.visualize_as_dataframe(show_only_changes=True)  # needs IPython
# ```

# %%
queries = test.features[4:7]
answers = plain.explain(queries, k=4)
print(answers)
columns = ["query", "answer", "feature", "before", "after"]
print(answers.changes()[columns].head(8).to_string(index=False))

# %% [markdown]
# In a notebook, `answers` alone shows a table. As sentences:

# %%
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# ## Say what may change
# ```python
# # dice-ml
# limited = explainer.generate_counterfactuals(
#     queries,
#     total_CFs=4,
#     desired_class="opposite",
#     features_to_vary=["education", "occupation", "hours_per_week", "workclass", "age"],
#     permitted_range={"age": [20, 60], "hours_per_week": [20, 50]},
# )
# ```
# `permitted_range` is one range for all rows. A rule can be about the row's own value, which is what
# *nobody becomes younger* needs, and about several features: a degree takes time. A doctorate that turns
# a woman into a man, as above, is then no answer.

# %%
education = ["School", "HS-grad", "Some-college", "Assoc", "Bachelors", "Masters", "Prof-school"]
education += ["Doctorate"]
space = ifonly.Space.infer(train.features, ordinal={"education": education})
rules = [
    "only education, occupation, hours_per_week, workclass, age change",
    "age only increases",
    "age changes by at most 8",
    "hours_per_week between 20 and 50",
    "education only increases",
    "if education increases then age increases by at least 2",
]
explainer = ifonly.Explainer(pipeline, data=train.features, space=space, rules=rules)
answers = explainer.explain(queries, k=4)
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# ## Closer, or more different
# ```python
# # dice-ml
# genetic = dice_ml.Dice(data, model, method="genetic")
# genetic.generate_counterfactuals(
#     queries[:1],
#     total_CFs=4,
#     desired_class="opposite",
#     proximity_weight=0.2,
#     diversity_weight=5.0,
# )
# ```
# `random` and `kdtree` have no such weights: there they are a `TypeError`. In ifonly it is one number, from 0 (closest) to 1 (most diverse):

# %%
for diversity in (0.0, 0.5, 1.0):
    figures = plain.explain(queries, k=4, diversity=diversity).metrics()
    print(
        diversity, figures[["distance", "changed", "pairwise_distance"]].mean().round(2).to_dict()
    )

# %% [markdown]
# ## Rows without an answer
# ```python
# # dice-ml
# narrow = explainer.generate_counterfactuals(
#     queries, total_CFs=4, desired_class="opposite", features_to_vary=["hours_per_week"]
# )
# [one.final_cfs_df is None for one in narrow.cf_examples_list]
# ```
# dice-ml prints that nothing was found, and the row's `final_cfs_df` is None; where no row has an answer, as when
# the first is asked alone, it raises an exception. Here each row has a status, and the others are not
# affected:

# %%
tight = explainer.explain(queries, k=4, rules=["only hours_per_week change"])
for position, status in enumerate(tight.status):
    print(position, status, "-", tight.notes[position])

# %% [markdown]
# ## Importance
# ```python
# # dice-ml
# explainer.global_feature_importance(many_queries, total_CFs=10).summary_importance
# ```
# It wants ten rows at least.

# %%
print(explainer.explain(test.features[:20], k=4).importance().round(2).to_string(index=False))

# %% [markdown]
# ## What else is different
# | | dice-ml | ifonly |
# |---|---|---|
# | objects | `Data`, `Model`, `Dice` | the frame and the model; an `Explainer` for many questions |
# | what may change | ranges and lists, per feature | a language of rules, over one feature or several |
# | a row without an answer | None, or an exception where all lack one | a status, and `answers.why(row)` |
# | method | `random`, `genetic`, `kdtree`, `gradient` | one default; `gradient` and `exact` on request |
#
# The whole table of options: [Coming from dice-ml](../guides/coming-from-dice-ml.md). Times and
# quality side by side, as measured: [Benchmarks](../benchmarks.md).
