// The stream of events. The browser reconnects by itself after a break; where it gives up (an HTTP error), or hears nothing for long, we open anew.

const SILENCE_MS = 20_000;
const AGAIN_MS = 3_000;
const RARELY_MS = 15_000; // after the end of the crawl: somebody may start it again

/**
 * Follows the events after the state number that `seq()` gives. Calls `heard(text)` for each, `broken()` when the stream breaks
 * and `whole()` when it is open again.
 * `isBusy()` says whether events should be coming, so that silence is a break; `hasEnded()` that a break is no wonder.
 */
export function follow({ seq, heard, broken, whole, isBusy, hasEnded }) {
  let source, again, last;

  function open() {
    clearTimeout(again);
    source?.close();
    last = Date.now();
    source = new EventSource(`/api/events?seq=${seq()}`);
    source.addEventListener('state', (event) => {
      last = Date.now();
      heard(event.data);
    });
    source.onopen = whole;
    source.onerror = () => {
      broken();
      if (hasEnded()) source.close();
      if (source.readyState === EventSource.CLOSED) again = setTimeout(open, hasEnded() ? RARELY_MS : AGAIN_MS);
    };
  }

  setInterval(() => {
    if (Date.now() - last < SILENCE_MS || !isBusy()) return;
    broken();
    open();
  }, 5_000);
  addEventListener('pagehide', () => source.close());
  addEventListener('pageshow', (event) => event.persisted && open());
  open();
}
