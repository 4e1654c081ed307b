# %% [markdown]
# # Certificates: how near can an answer be?
#
# A search finds answers. It cannot show that there is no nearer one, nor that there is none at all.
# For models whose parameters can be read (linear models, trees, ReLU networks) a solver proves both.
# This tutorial needs the extra `exact`.

# %%
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ifonly

train, test = ifonly.datasets.load("german_credit").split()
decision = train.outcome.map({0: "refused", 1: "granted"})
words = make_column_selector(dtype_exclude="number")
encode = make_column_transformer((OneHotEncoder(), words), remainder="passthrough")
trees = make_pipeline(encode, GradientBoostingClassifier(n_estimators=40, random_state=0))
trees.fit(train.features, decision)
refused = test.features[trees.predict(test.features) == "refused"][:5]

rules = ["age fixed", "personal_status_sex fixed", "foreign_worker fixed", "credit_history fixed"]
rules += ["if account_check_status changes then account_check_status not no checking account"]
rules += ["if savings changes then savings not unknown/none"]
explainer = ifonly.Explainer(trees, data=train.features, rules=rules)

# %% [markdown]
# ## Prove how near an answer can be
# `certify=10` allows ten seconds for each row. The answers are those of the default method, with the
# nearest of all among them.

# %%
answers = explainer.explain(refused, k=2, certify=10)
proofs = answers.certificates()
print(proofs[["query", "price", "bound", "gap", "proved"]].round(3).to_string(index=False))

# %% [markdown]
# `price` is what the nearest answer costs: its distance and a small charge for each change. `bound` is
# a proof that no answer, found or not, costs less. A gap of 0 says that the first answer is the best
# one. What has been proved is about the model, so the reading of the model was checked against it:

# %%
print(proofs[["checked_rows", "checked_values", "checked_points"]].iloc[0].to_string())
print()
print(*answers.sentences()[0], sep="\n")

# %% [markdown]
# ## The nearest answer itself
# `method="exact"` computes it, and further answers are the nearest of other ways.

# %%
prover = ifonly.Explainer(trees, data=train.features, method="exact")
exact = prover.explain(refused[:1], k=3, rules=rules)
print(*exact.sentences()[0], sep="\n")

# %% [markdown]
# Look at them as the applicant does: nobody becomes a manager to get a loan. Rules mend it, and the
# proof is then about answers that satisfy them:

# %%
honest = [*rules, "job fixed", "purpose fixed", "present_emp_since fixed"]
exact = prover.explain(refused[:1], k=3, rules=honest)
print(*exact.sentences()[0], sep="\n")

# %% [markdown]
# ## No answer at all
# *I can change nothing but the amount, and I need 1,000*, the applicants say. A search would say
# 'nothing found'; a proof says that there is nothing to be found, and the desk can stop trying:

# %%
amount = ["only credit_amount change", "credit_amount at least 1000"]
stuck = explainer.explain(refused[:4], k=1, rules=amount, certify=10)
for position, status in enumerate(stuck.status):
    print(position, status, "-", stuck.notes[position] or stuck.sentences()[position][0])

# %% [markdown]
# ## Numbers that end up off
# An answer at the very edge fails when life differs a little. `tolerance` demands that the outcome
# stays if a changed number ends up off by so much, and proves it over the whole box. `tolerances` says
# how far each number may go in fact:

# %%
off = {"duration_in_month": 3, "credit_amount": 200}
loan = ["only duration_in_month, credit_amount change"]
safe = explainer.explain(refused[:1], k=1, rules=loan, tolerance=off)
print(safe.sentences()[0][0])
boxes = safe.tolerances().query("feature in ['duration_in_month', 'credit_amount']")
print(boxes[["feature", "values", "share"]].to_string(index=False))

# %% [markdown]
# ## What cannot be proved
# The neighbours of a k-nearest-neighbour model cannot be read. Answers are found and checked all the
# same (here one mark is enough: a reason to look closer at such a model); to ask for a proof is an error
# that says what can be read:

# %%
near = make_pipeline(encode, KNeighborsClassifier(9)).fit(train.features, decision)
asked = test.features[near.predict(test.features) == "refused"][:1]
neighbours = ifonly.Explainer(near, data=train.features, rules=honest)
print(neighbours.explain(asked, k=1).sentences()[0][0])
try:
    neighbours.explain(asked, k=1, certify=5)
except ifonly.errors.ModelError as error:
    print(error)

# %% [markdown]
# ## Where to go next
# [How near can an answer be?](../guides/how-near-can-an-answer-be.md) says what exactly is proved, and
# [Answers that hold up](../guides/answers-that-hold-up.md) what tolerances and other demands mean.
