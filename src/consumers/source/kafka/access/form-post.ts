import { request as plain } from 'node:http';
import { request as encrypted } from 'node:https';

const LONGEST = 2 ** 16;

export interface FormPost {
  /** http or https. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: URLSearchParams;
  readonly timeoutMs: number;
}

export interface FormAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends a form and reads the answer, of at most 64 KiB; redirects are not followed. Not `fetch`: it detaches an ArrayBuffer, which
 * slows every typed array of the process from then on (docs/decisions/0012). Rejects with what the connection says, or when
 * time is over.
 */
export function postForm({ url, headers, form, timeoutMs }: FormPost): Promise<FormAnswer> {
  const body = form.toString();
  const send = url.protocol === 'https:' ? encrypted : plain;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      },
      // No connection is kept for the next token, which is needed minutes later.
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
        if (length > LONGEST) request.destroy(new Error(`more than ${LONGEST} bytes came`));
        else parts.push(part);
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    });
    request.end(body);
  });
}
