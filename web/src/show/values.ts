// Values and rows as people read them: labels, units, and the reader's own formats.
import type { Value } from "../transport/transport";
import { f, t } from "../words/words.svelte";
import type { Field } from "./fields";

/** A value of a field: its label, or the number with its unit. */
export function valueText(field: Field, value: Value | undefined, unit = true): string {
  if (value === null || value === undefined) return t("value.missing");
  if (field.kind === "choice") {
    return field.options.find((one) => one.value === value)?.label || String(value);
  }
  if (field.kind === "date") return dateText(field, String(value));
  const number = f().number(Number(value), field.decimals);
  return unit && field.unit ? `${number} ${field.unit}` : number;
}

function dateText(field: Field, value: string): string {
  const type = field.features[0]?.type;
  return type === "duration" ? value : f().date(value, type === "date-time");
}

/** By how much a number changes, with its sign; nothing for anything else. */
export function differenceText(field: Field, before: Value, after: Value): string {
  if (field.kind !== "number" || typeof before !== "number" || typeof after !== "number") return "";
  return f().signed(after - before, field.decimals);
}

/** Where a value lies between the ends of a field: 0 to 1, or null where it has no place. */
export function placeOf(field: Field, value: Value | undefined): number | null {
  const [low, high, own] = [field.low, field.high, value ?? null].map((one) => numberOf(field, one));
  if (low == null || high == null || own == null || high <= low) return null;
  return Math.min(1, Math.max(0, (own - low) / (high - low)));
}

/** A number or a date as a number; null where it is neither. */
export function numberOf(field: Field, value: Value | undefined): number | null {
  if (value === null || value === undefined) return null;
  const number = field.kind === "date" ? Date.parse(String(value)) : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A score: a share for probabilities, a number otherwise; one below the threshold never looks equal to it. */
export function scoreText(score: number | null | undefined, probability: boolean, threshold: number | null = null): string {
  if (score === null || score === undefined) return "–";
  let decimals = probability ? Number(score > 0.995 || score < 0.005) : Math.abs(score) < 10 ? 2 : 0;
  const shown = (value: number) => (probability ? f().percent(value, decimals) : f().number(value, decimals));
  while (threshold !== null && score < threshold && decimals < 6 && shown(score) === shown(threshold)) decimals += 1;
  return shown(score);
}

/** A text that is not too long for a line; the whole stands elsewhere. */
export function clipped(text: string, most = 60): string {
  const letters = [...text.slice(0, most * 2)];
  return text.length <= most || letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}
