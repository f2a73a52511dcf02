import { expect, test } from 'vitest';
import { ourCertificate } from '../../src/connections/refused-certificate.ts';
import { TlsContext } from '../../src/connections/tls.ts';
import { Authority, OPENSSL } from '../services/certificates.ts';
import { itWith } from '../services/it-with.ts';
import { tlsOf } from '../services/secure-kafka.ts';

const REQUIRED = 'the server requires a client certificate that it trusts and that has not expired';
const ADVICE = 'name such a one in kafka.tls.cert and kafka.tls.key';

test('a client without a certificate learns that it has none', () => {
  expect(ourCertificate(new TlsContext(tlsOf()))).toBe(`${REQUIRED} (none is set): ${ADVICE}`);
});

itWith(OPENSSL, 'a client whose certificate is refused learns whose it is, and when it is valid', async () => {
  const authority = await Authority.make();
  const time = '20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';
  const cases = [
    [{}, `valid until ${time}`],
    [{ expired: true }, `ended 2020-02-01T00:00:00Z; here it is ${time}`],
    [{ early: true }, `begins ${time}; here it is ${time}`],
  ] as const;
  for (const [options, valid] of cases) {
    const { cert, key } = await authority.sign({ name: 'worker', ...options });
    const ours = `ours is CN=worker, signed by CN=receval test authority, ${valid}`;
    expect(ourCertificate(new TlsContext(tlsOf({ cert, key })))).toMatch(
      new RegExp(`^${REQUIRED} \\(${ours}\\): ${ADVICE}$`),
    );
  }
  authority.remove();
});
