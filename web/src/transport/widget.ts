// The contract over the messages of a notebook: no port, no network.
import { Refused, type Name, type Reply, type Request, type Start, type Transport } from "./transport";

/** What anywidget gives: the part of its model that is used. */
export interface WidgetModel {
  get(name: string): unknown;
  send(content: unknown): void;
  on(event: string, callback: (content: never) => void): void;
  off(event: string, callback?: (content: never) => void): void;
}

interface Message {
  id: number;
  status: number;
  body: unknown;
}

interface Waiting {
  resolve(body: unknown): void;
  reject(error: unknown): void;
}

/** The Python side of a widget. */
export function widget(model: WidgetModel): Transport & { close(): void } {
  const waiting = new Map<number, Waiting>();
  let last = 0;

  const receive = (message: Message) => {
    const one = waiting.get(message?.id);
    if (!one) return; // given up, or a message of another view of the same widget
    waiting.delete(message.id);
    if (message.status < 400) one.resolve(message.body);
    else one.reject(new Refused(message.body as Refused["problem"]));
  };
  model.on("msg:custom", receive as (content: never) => void);

  function ask<N extends Name>(name: N, body: Request<N>, { signal }: { signal?: AbortSignal } = {}) {
    // Views share the messages of a widget: an id that no other view has.
    const id = ++last + Math.floor(Math.random() * 2 ** 32) * 2 ** 20;
    return new Promise<Reply<N>>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      signal?.addEventListener("abort", () => {
        if (waiting.delete(id)) reject(signal.reason);
      });
      model.send({ id, name, body });
    });
  }

  return {
    start: async () => (model.get("start") ?? {}) as Start,
    ask,
    close: () => model.off("msg:custom", receive as (content: never) => void),
  };
}
