// The reader's language: texts of two dictionaries, and numbers and dates as the reader writes them.
import de from "./de";
import en from "./en";
import { formats } from "./format";

export type Key = keyof typeof en;
type Counted = Key extends infer K ? (K extends `${infer Stem}.other` ? Stem : never) : never;
export type Language = "en" | "de";
export const LANGUAGES: Record<Language, string> = { en: "English", de: "Deutsch" };

const dictionaries: Record<Language, Record<Key, string>> = { en, de };
let chosen = $state<Language>("en");

/** The language that is asked for, or the browser's. */
export function choose(asked: string | undefined): void {
  const wanted = [asked, ...navigator.languages].filter((one): one is string => Boolean(one));
  const known = wanted.map((one) => one.slice(0, 2).toLowerCase());
  chosen = (known.find((one) => one in dictionaries) as Language | undefined) ?? "en";
}

export function language(): Language {
  return chosen;
}

/** A text in the reader's language; {name} becomes the value of that name. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  return filled(dictionaries[chosen][key], values);
}

/** A text with a count, in the form that the language has for it. */
export function counted(stem: Counted, count: number, values: Record<string, string | number> = {}): string {
  const form = new Intl.PluralRules(chosen).select(count) === "one" ? "one" : "other";
  return t(`${stem}.${form}` as Key, { count: f().number(count), ...values });
}

/** Numbers, shares and dates in the reader's format: that of the browser in this language. */
export function f() {
  return formats(locale());
}

export function locale(): string {
  return navigator.languages.find((one) => one.startsWith(chosen)) ?? chosen;
}

/** A text whose {names} are replaced; values are never read as names themselves. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => (name in values ? String(values[name]) : all));
}
