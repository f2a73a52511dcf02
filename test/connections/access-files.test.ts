import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { AccessFiles, isEnding } from '../../src/connections/access-files.ts';
import { AccessFileError } from '../../src/connections/secret.ts';
import type { SecretSource } from '../../src/connections/security-settings.ts';
import { Authority, OPENSSL } from '../services/certificates.ts';
import { itWith } from '../services/it-with.ts';
import { tlsOf } from '../services/secure-kafka.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-access-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NO_FILES = tlsOf();

function secretFile(name: string, text: string): SecretSource & { readonly kind: 'file' } {
  const path = join(folder, name);
  writeFileSync(path, text);
  return { kind: 'file', path, setting: 'redis.passwordFile' };
}

describe('the files by which clients get in', () => {
  itWith(OPENSSL, 'are reported with what is wrong with them, while what they held before goes on', async () => {
    const authority = await Authority.make();
    try {
      const [one, other] = [await authority.sign({ name: 'one' }), await authority.sign({ name: 'other' })];
      const [cert, key] = [join(folder, 'own.pem'), join(folder, 'own.key')];
      copyFileSync(one.cert, cert);
      copyFileSync(one.key, key);
      const password = secretFile('password', 'c4n4ry');
      const files = new AccessFiles([{ ...NO_FILES, ca: authority.ca, cert, key }], [password]);
      const [tls, secret] = files.look();
      expect(tls).toMatchObject({ setting: 'kafka.tls', problem: undefined });
      const { begins, ends } = tls.validity ?? { begins: new Date(0), ends: new Date(0) };
      expect(ends.getTime() - begins.getTime()).toBe(3 * 86_400_000);
      expect(secret).toEqual({
        setting: 'redis.passwordFile',
        problem: undefined,
        validity: undefined,
        caValidity: undefined,
      });

      copyFileSync(other.key, key);
      writeFileSync(password.path, '');
      expect(files.look()).toEqual([
        {
          setting: 'kafka.tls',
          problem: expect.stringMatching(/^kafka\.tls\.key: .* the key is that of another certificate$/),
          validity: tls.validity,
          caValidity: tls.caValidity,
        },
        {
          setting: 'redis.passwordFile',
          problem: expect.stringMatching(/ is empty$/),
          validity: undefined,
          caValidity: undefined,
        },
      ]);
      copyFileSync(other.cert, cert);
      writeFileSync(password.path, 'c4n4ry-new');
      expect(files.look().map(({ problem }) => problem)).toEqual([undefined, undefined]);
    } finally {
      authority.remove();
    }
  });

  it('are none for what stands in the configuration itself', () => {
    expect(new AccessFiles([NO_FILES], [{ kind: 'text', text: 'c4n4ry' }]).look()).toEqual([]);
  });

  itWith(OPENSSL, 'are not asked when known authorities end where any certificate is accepted', async () => {
    const authority = await Authority.make();
    const caValidity = (rejectUnauthorized: boolean) =>
      new AccessFiles([{ ...NO_FILES, ca: authority.ca, rejectUnauthorized }], []).look()[0].caValidity;
    expect(caValidity(true)).toBeDefined();
    expect(caValidity(false)).toBeUndefined();
    authority.remove();
  });

  it('must be usable at first', () => {
    const missing = { kind: 'file', path: join(folder, 'none'), setting: 'http.tokenFile' } as const;
    expect(() => new AccessFiles([], [missing])).toThrow(AccessFileError);
  });
});

describe('a certificate', () => {
  it('of a long life ends soon when less than 90 days are left', () => {
    const day = 86_400_000;
    const validity = { begins: new Date(0), ends: new Date(3650 * day) };
    expect(isEnding(validity, 3560 * day - 1)).toBe(false);
    expect(isEnding(validity, 3560 * day)).toBe(false);
    expect(isEnding(validity, 3560 * day + 1)).toBe(true);
  });

  it('ends soon when less than a tenth of its life is left, whatever its length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 0, max: 1e12 }), (tenth, begin) => {
        const validity = { begins: new Date(begin), ends: new Date(begin + 10 * tenth) };
        expect(isEnding(validity, begin + 9 * tenth - 1)).toBe(false);
        expect(isEnding(validity, begin + 9 * tenth)).toBe(false);
        expect(isEnding(validity, begin + 9 * tenth + 1)).toBe(true);
        expect(isEnding(validity, begin + 11 * tenth)).toBe(true);
      }),
    );
  });
});
