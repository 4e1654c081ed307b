// The state in the address: what stands after '#' is never sent to a server.

export interface Fragment {
  screen: string;
  state: unknown;
}

/** What a fragment says: `#analyst&s=...`. */
export function readFragment(fragment: string): Fragment {
  const parts = fragment.replace(/^#/, "").split("&");
  const packed = parts.find((part) => part.startsWith("s="))?.slice(2);
  return { screen: parts.find((part) => part && !part.includes("=")) ?? "", state: packed ? unpack(packed) : null };
}

export function writeFragment({ screen, state }: Fragment): string {
  return `#${[screen, state === null ? "" : `s=${pack(state)}`].filter(Boolean).join("&")}`;
}

/** JSON as base64url. */
export function pack(state: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** What `pack` packed; null for anything else. */
export function unpack(packed: string): unknown {
  try {
    const text = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
  } catch {
    return null;
  }
}
