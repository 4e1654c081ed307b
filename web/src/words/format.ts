// Numbers, shares and dates in the format of a locale.

export interface Formats {
  number(value: number, decimals?: number): string;
  signed(value: number, decimals?: number): string;
  percent(share: number, decimals?: number): string;
  date(iso: string, time?: boolean): string;
  list(texts: string[]): string;
}

const known = new Map<string, Formats>();

/** The formats of a locale, such as 'de-AT'; made once. */
export function formats(locale: string): Formats {
  const own = known.get(locale) ?? make(locale);
  known.set(locale, own);
  return own;
}

function make(locale: string): Formats {
  const number = (options: Intl.NumberFormatOptions) => {
    const made = new Map<number, Intl.NumberFormat>();
    return (value: number, decimals: number, least = decimals) => {
      const one =
        made.get(decimals * 100 + least) ??
        new Intl.NumberFormat(locale, {
          // 2005 may be a year: a separator from 10,000 on.
          useGrouping: "min2",
          ...options,
          minimumFractionDigits: least,
          maximumFractionDigits: decimals,
        });
      made.set(decimals * 100 + least, one);
      return one.format(value);
    };
  };
  const plain = number({});
  const signed = number({ signDisplay: "exceptZero" });
  const percent = number({ style: "percent" });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  return {
    number: (value, decimals = 0) => plain(value, decimals, Math.min(decimals, 2)),
    signed: (value, decimals = 0) => signed(value, decimals, Math.min(decimals, 2)),
    percent: (share, decimals = 0) => percent(share, decimals),
    date: (iso, time = false) => {
      const parsed = Date.parse(/[zZ]|[+-]\d\d:\d\d$/.test(iso) || iso.length <= 10 ? iso : `${iso}Z`);
      return Number.isNaN(parsed) ? iso : (time ? moment : day).format(parsed);
    },
    list: (texts) => list.format(texts),
  };
}

/** How many decimals a step has: 0.05 has two. */
export function decimalsOf(step: number | null | undefined): number {
  if (!step) return 0;
  for (let decimals = 0; decimals < 12; decimals++) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 12;
}

/** A number as somebody types it in a locale, or NaN. */
export function readNumber(text: string, locale: string): number {
  const parts = new Intl.NumberFormat(locale).formatToParts(12345.6);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  const [group, decimal] = [part("group"), part("decimal")];
  let plain = text.trim().replace(/[\s\u00a0\u202f'’]/g, "").replace("\u2212", "-");
  if (group && group.trim()) plain = plain.split(group).join("");
  if (decimal && decimal !== ".") plain = plain.replace(decimal, ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}
