// What was said and what is answered, as sentences in the reader's language.
import type { Session } from "../app/session";
import { changesOf } from "../show/fields";
import { clipped, valueText } from "../show/values";
import type { Change, Explained, Value } from "../transport/transport";
import { f, t } from "../words/words.svelte";
import type { Part } from "./question";
import type { State } from "./state";

/** What one part of what was said means. */
export function partText(part: Part, state: State): string {
  if (part.of === "most") return t("wish.most", { count: state.most ?? 0 });
  if (part.of === "rule") return ruleText(state.options.rules?.[part.place]);
  const { field } = part;
  const wish = state.wishes[field.name] ?? {};
  const label = clipped(field.label);
  if (part.part === "effort") return t("wish.fixed", { label });
  if (part.part === "way") return t(wish.way === "up" ? "wish.up" : "wish.down", { label });
  if (part.part === "levels") {
    const levels = (wish.levels ?? []).map((level) => clipped(valueText(field, level), 40));
    return t("wish.levels", { label, levels: levels.length ? f().list(levels) : t("wish.nothing") });
  }
  const [low, high] = [wish.low, wish.high].map((end) => (end === undefined ? null : valueText(field, end)));
  if (low == null) return t("wish.at_most", { label, high: high ?? "" });
  return high == null ? t("wish.at_least", { label, low }) : t("wish.between", { label, low, high });
}

export function ruleText(rule: unknown): string {
  return clipped(typeof rule === "string" ? rule : JSON.stringify(rule), 120);
}

/** The changes of a way as one sentence. */
export function waySentence(session: Session, changes: Change[], prediction: Value): string {
  const items = changesOf(session.fields, changes)
    .filter((one) => !one.follows)
    .map(({ field, before, after }) =>
      t("way.item", {
        label: clipped(field.label),
        before: clipped(valueText(field, before)),
        after: clipped(valueText(field, after)),
      }),
    );
  return t("way.sentence", { changes: f().list(items), outcome: outcomeText(session, prediction) });
}

/** What people call a class, or the number that is predicted. */
export function outcomeText(session: Session, outcome: Value): string {
  if (session.model.task === "regression") return typeof outcome === "number" ? f().number(outcome, Math.abs(outcome) < 100 ? 2 : 0) : "–";
  return clipped(session.model.classes.find((one) => one.value === outcome)?.label ?? String(outcome));
}

/** The outcome that is wanted: a class, or a range of numbers. */
export function wantedText(session: Session, wanted: Explained["wanted"]): string {
  if (typeof wanted !== "object" || wanted === null) return outcomeText(session, wanted);
  const { low, high } = wanted as { low: number | null; high: number | null };
  const text = (end: number) => f().number(end, Math.abs(end) < 100 ? 2 : 0);
  if (low !== null && high !== null) return t("wanted.between", { low: text(low), high: text(high) });
  return low !== null ? t("wanted.at_least", { low: text(low) }) : t("wanted.at_most", { high: text(high ?? 0) });
}

/** What changed on the page, for those who hear it. */
export function newsOf(session: Session, reply: Explained | null): string {
  if (!reply) return "";
  const [first] = reply.answers;
  if (!first) return reply.status === "already" ? t("news.already") : t("news.none");
  const sentence = waySentence(session, first.changes, first.prediction);
  return `${t(reply.answers.length === 1 ? "ways.count.one" : "ways.count.other", { count: reply.answers.length })}. ${sentence}`;
}
