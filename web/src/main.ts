// The page in any element: `start(el)` over the service, `render({ model, el })` in a notebook.
import { mount, unmount } from "svelte";
import App from "./app/App.svelte";
import "./app/page.css";
import { service } from "./transport/service";
import type { Transport } from "./transport/transport";
import { widget, type WidgetModel } from "./transport/widget";

function show(el: HTMLElement, transport: Transport, inNotebook: boolean): () => void {
  el.classList.add("ifonly");
  const app = mount(App, { target: el, props: { transport, inNotebook } });
  return () => void unmount(app);
}

/** The page over the service that it came from; `base` is the address in front of `/v1`. */
export function start(el: HTMLElement, base = new URL(".", document.baseURI).pathname.replace(/\/$/, "")) {
  return show(el, service(base), false);
}

/** The page in a notebook, as anywidget calls it. */
function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const transport = widget(model);
  const end = show(el, transport, true);
  return () => {
    end();
    transport.close();
  };
}

export default { render };

const own = document.querySelector<HTMLElement>("[data-ifonly-page]");
if (own) start(own);
