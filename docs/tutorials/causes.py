# %% [markdown]
# # Causes: actions and their consequences
#
# *If only your education were a master's, with everything else as it is.* But a degree raises the
# income, and the income the savings. An answer that leaves them as they are describes somebody who
# does not exist. With a causal model an answer separates what a person does from what follows.
#
# `make_lender` generates applicants from equations that are known exactly, so that we can check.

# %%
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly

lender = ifonly.datasets.make_lender(2000, seed=0)
words = ["education", "job"]
encode = make_column_transformer((OneHotEncoder(), words), remainder=StandardScaler())
model = make_pipeline(encode, LogisticRegression(max_iter=1000))
model.fit(lender.frame, lender.outcome)

applicants = ifonly.datasets.make_lender(200, seed=1).frame
refused = applicants[model.predict(applicants) == "refused"]
person = refused[1:2]
print(person.to_string(index=False))

# %% [markdown]
# ## Without causes
# A degree, and not one mark more in the account; a loan that does not depend on anything.

# %%
rules = [
    "age only increases",
    "age changes by at most 8",
    "education only increases",
    "education: school -> college takes 2, college -> bachelor takes 3, bachelor -> master takes 2 "
    "of age",
    "income changes by at most 12000",
]


def ways(**options):
    answers = ifonly.explain(model, person, data=lender.frame, k=3, rules=rules, **options)
    print(*answers.sentences()[0], sep="\n")
    return answers


answers = ways()

# %% [markdown]
# *If only the income were higher*: nobody sets their income. It follows from age, education and job.
#
# ## With the causes
# A graph of direct causes and an equation for each feature that has causes. `actions` are the features
# that somebody can act on: the income is not among them.

# %%
print(lender.graph)
actions = ["age", "education", "job", "savings", "debt", "loan"]
causes = ifonly.CausalModel(lender.graph, lender.equations, actions=actions)
answers = ways(causes=causes)

# %% [markdown]
# *So that* separates actions from consequences, and only actions count in the distance.
#
# *A loan of 9,894 in place of 9,895* is odd. In this lender's world people who earn more ask for more,
# and that action says: ask for no more than now. If people decide on the loan by themselves, say so, and
# it has no causes:

# %%
graph = {**lender.graph, "loan": ()}
equations = {name: one for name, one in lender.equations.items() if name != "loan"}
causes = ifonly.CausalModel(graph, equations, actions=actions)
answers = ways(causes=causes)

# %% [markdown]
# The plan puts actions in an order; the time that a degree takes is part of it:

# %%
degree = next(n for n, text in enumerate(answers.sentences()[0]) if "education" in text)
print(answers.plan(0, degree))

# %% [markdown]
# ## Are the consequences right?
# The lender can tell: `intervene` computes what really follows from an action.

# %%
changes = answers.changes().query("answer == @degree")
acted = changes[~changes["follows"]]
done = dict(zip(acted["feature"], acted["after"], strict=True))
truth = lender.intervene(person, **{"loan": int(person["loan"].iloc[0]), **done})
answer = answers.frame()[truth.columns].iloc[[degree]]
print("what is done:", done)
print("and what follows is right:", bool((truth.to_numpy() == answer.to_numpy()).all()))

# %% [markdown]
# ## Equations from data
# Real equations are rarely known. You state the graph, because data do not show the direction of a
# cause; the equations are fitted, and their error on held-out rows is shown:

# %%
fitted = ifonly.CausalModel.fit(graph, lender.frame, "linear", actions=actions)
print(fitted)
print(fitted.equations["debt"])
answers = ways(causes=fitted)

# %% [markdown]
# The lender's own equation turns a tenth of the income into debt, and that was found. The answers are
# nearly those of the true equations, and as good as the graph: a cause that the graph leaves out has no
# consequence.
#
# ## Where to go next
# [State what can change](../guides/state-what-can-change.md) has causal pairs and rules over
# consequences. [Decision 12](../decisions/0012-actions-and-consequences.md) says why answers are built
# this way.
