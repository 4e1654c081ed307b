// The contract over HTTP: `POST {base}/v1/NAME`.
import { Refused, type Name, type Reply, type Request, type Start, type Transport, unreachable } from "./transport";

const KEPT = "ifonly-token";

/** The token of the address, which is taken out of it and kept for this tab. */
export function takeToken(fragment: string): { token: string; rest: string } {
  const parts = fragment.replace(/^#/, "").split("&").filter(Boolean);
  const own = parts.find((part) => part.startsWith("token="));
  return {
    token: own ? decodeURIComponent(own.slice("token=".length)) : "",
    rest: parts.filter((part) => part !== own).join("&"),
  };
}

/** The service that the page came from. */
export function service(base: string): Transport {
  const { token: given, rest } = takeToken(location.hash);
  if (given) {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, "", `${location.pathname}${location.search}${rest ? `#${rest}` : ""}`);
  }
  const token = given || sessionStorage.getItem(KEPT) || "";
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};

  async function get(path: string, request: RequestInit): Promise<unknown> {
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(`${base}${path}`, request);
      body = await response.json().catch((error: unknown) => {
        // A request can be given up while its reply is read.
        if (response.ok || request.signal?.aborted) throw error;
        return null;
      });
    } catch (error) {
      request.signal?.throwIfAborted();
      throw unreachable(String(error));
    }
    if (response.ok) return body;
    const isProblem = typeof body === "object" && body !== null && "detail" in body;
    throw isProblem ? new Refused(body as Refused["problem"]) : unreachable(`HTTP ${response.status}`);
  }

  return {
    start: () => get("/page/start", { headers }) as Promise<Start>,
    ask: <N extends Name>(name: N, body: Request<N>, { signal }: { signal?: AbortSignal } = {}) =>
      get(`/v1/${name}`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal: signal ?? null,
      }) as Promise<Reply<N>>,
  };
}
