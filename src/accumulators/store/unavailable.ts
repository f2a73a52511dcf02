const UNANSWERED: ReadonlySet<string> = new Set(['NOT_CONNECTED', 'TIMEOUT', 'DISCONNECTED', 'LOADING']);

/**
 * The store did not answer, or refused. `retriable`: the same call may succeed later, when the server is well again.
 * `outcome` refused: surely nothing was written. unknown: it may have been, or may still be; send the same commit again.
 * The message holds no argument of a command and no secret.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** The first word of the server's answer, such as OOM; or TIMEOUT, DISCONNECTED (it broke), NOT_CONNECTED, TLS. */
  readonly code: string;
  readonly retriable: boolean;
  readonly outcome: 'refused' | 'unknown';

  constructor(code: string, message: string, { retriable, outcome }: Pick<StoreUnavailable, 'retriable' | 'outcome'>) {
    super(message);
    this.code = code;
    this.retriable = retriable;
    this.outcome = outcome;
  }

  /** No server said anything about it, but perhaps that it is not ready yet. */
  get isUnanswered(): boolean {
    return UNANSWERED.has(this.code);
  }
}
