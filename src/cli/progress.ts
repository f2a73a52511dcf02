import { SingleBar } from 'cli-progress';

export interface Progress {
  /** `done` of the total (bytes, or events); `events` so far. */
  update(done: number, events: number): void;
  stop(): void;
}

const LINE_EVERY_MS = 5000;

/**
 * How far a long command is, with its rate and the remaining time: a bar on a terminal, elsewhere a line every 5 s.
 * `total` undefined: the end is not known (standard input). `what`: the things that are counted.
 */
export function showProgress(stream: NodeJS.WriteStream, total: number | undefined, what = 'events'): Progress {
  const began = performance.now();
  const rate = (events: number): string => grouped((1000 * events) / Math.max(1, performance.now() - began));
  if (stream.isTTY && total !== undefined) return bar(stream, total, what, rate);
  let shown = began;
  return {
    update(done, events) {
      const now = performance.now();
      if (now - shown < LINE_EVERY_MS) return;
      shown = now;
      const share = total === undefined || total === 0 ? undefined : done / total;
      const left = share === undefined || share === 0 ? undefined : ((now - began) / 1000) * (1 / share - 1);
      const end =
        left === undefined || share === undefined ? '' : `, ${Math.floor(100 * share)} %, ${Math.ceil(left)} s left`;
      stream.write(`${grouped(events)} ${what}, ${rate(events)}/s${end}\n`);
    },
    stop() {},
  };
}

function bar(stream: NodeJS.WriteStream, total: number, what: string, rate: (events: number) => string): Progress {
  const shown = new SingleBar({
    stream,
    format: `{bar} {percentage} % | {events} ${what} | {rate}/s | {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    // A long average, so that the remaining time does not jump.
    etaBuffer: 200,
  });
  shown.start(total, 0, { events: '0', rate: '0' });
  let events = 0;
  return {
    update(done, so) {
      events = so;
      shown.update(done, { events: grouped(so), rate: rate(so) });
    },
    stop() {
      if (events > 0) shown.update(total, { events: grouped(events), rate: rate(events) });
      shown.stop();
    },
  };
}

/** 1234567 as 1,234,567. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
