// The search runs in a worker, and a page that is opened from a folder may not start one. There, a hidden
// frame takes its place: it runs the same script, and messages go to and fro. (A theme that finds no file
// of this name would load one from another host.)
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.tell(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      this.ready = new Promise((done) => (script.onload = done));
      script.onerror = () => this.tell(new Event("error"));
      script.src = new URL(url, location.href);
      inside.document.body.append(script);
    }

    tell(event) {
      this[`on${event.type}`]?.(event);
      this.dispatchEvent(event);
    }

    async postMessage(data) {
      await this.ready;
      this.frame.contentWindow?.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
