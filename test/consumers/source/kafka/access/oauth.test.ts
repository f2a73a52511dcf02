import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createEncrypted } from 'node:https';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type FormAnswer, postForm } from '../../../../../src/consumers/source/kafka/access/oauth.ts';
import { Authority, OPENSSL } from '../../../../services/certificates.ts';
import { itWith } from '../../../../services/it-with.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function listening(made: Server, scheme = 'http'): Promise<URL> {
  server = made;
  await new Promise<void>((resolve) => void made.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = made.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return new URL(`${scheme}://127.0.0.1:${address.port}/token`);
}

const post = (url: URL, form: Readonly<Record<string, string>> = {}, timeoutMs = 30_000): Promise<FormAnswer> =>
  postForm({ url, headers: { authorization: 'Basic eA==' }, form: new URLSearchParams(form), timeoutMs });

/** Returns what was sent. */
const echo: RequestListener = (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { method, headers } = request;
    const body = Buffer.concat(parts).toString();
    response.statusCode = 203;
    response.end(JSON.stringify({ method, login: headers.authorization, type: headers['content-type'], body }));
  });
};

describe('a form', () => {
  it('arrives as it was, whatever its fields hold', async () => {
    const url = await listening(createServer(echo));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' }), { maxKeys: 4 }), async (form) => {
        const { status, body } = await post(url, form);
        expect(status).toBe(203);
        const got: Record<string, string> = JSON.parse(body);
        expect(got).toMatchObject({
          method: 'POST',
          login: 'Basic eA==',
          type: 'application/x-www-form-urlencoded',
        });
        expect([...new URLSearchParams(got['body'])]).toEqual([...new URLSearchParams(form)]);
      }),
      { numRuns: 30 },
    );
  });

  it('is not sent on by a redirect', async () => {
    let asked = 0;
    const url = await listening(
      createServer((_, response) => {
        asked++;
        response.writeHead(307, { location: '/token' }).end();
      }),
    );
    expect((await post(url)).status).toBe(307);
    expect(asked).toBe(1);
  });

  it('gets no answer above 64 KiB', async () => {
    const sized = (bytes: number): Promise<URL> =>
      listening(createServer((_, response) => void response.end(Buffer.alloc(bytes, 97))));
    expect((await post(await sized(2 ** 16))).body).toHaveLength(2 ** 16);
    server?.close();
    await expect(post(await sized(2 ** 16 + 1))).rejects.toThrow('more than 65536 bytes came');
  });

  it('is given up when its time is over, also in the middle of the answer', async () => {
    const silent = await listening(createServer(() => {}));
    await expect(post(silent, {}, 50)).rejects.toMatchObject({ name: 'AbortError' });
    server?.closeAllConnections();
    server?.close();
    const halting = await listening(createServer((_, response) => void response.write('{')));
    await expect(post(halting, {}, 300)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('reports a connection that is refused, and one that breaks', async () => {
    const url = await listening(createServer((request) => void request.socket.destroy()));
    await expect(post(url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await new Promise((resolve) => server?.close(resolve));
    await expect(post(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  itWith(OPENSSL, 'goes to nobody whose certificate is not known', async () => {
    const authority = await Authority.make();
    const { key, cert } = await authority.sign({ name: 'tokens', hosts: 'IP:127.0.0.1' });
    const options = { key: readFileSync(key), cert: readFileSync(cert) };
    const url = await listening(createEncrypted(options, echo), 'https');
    await expect(post(url)).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    authority.remove();
  });
});
