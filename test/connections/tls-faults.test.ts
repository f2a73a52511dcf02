import { expect, test } from 'vitest';
import { plainText, tlsAdvice } from '../../src/connections/tls.ts';

const fault = (message: string, code?: string) => ({ message, code });

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', /kafka\.tls\.ca/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /kafka\.tls\.ca/],
  ['CERT_HAS_EXPIRED', /renew it at the server/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /kafka\.tls\.serverName/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /kafka\.tls\.cert/],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', /kafka\.tls\.cert/],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /TLS 1\.2 or 1\.3/],
])('%s says what to do', (code, advice) => {
  expect(tlsAdvice(fault('x', code), 'kafka.tls')).toMatch(advice);
});

test('an error that lost its code is known by its text', () => {
  const text = 'All sentinels are unreachable. Last error: self-signed certificate in certificate chain';
  expect(tlsAdvice(fault(text), 'redis.tls')).toContain('redis.tls.ca');
});

test.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', undefined])('%s is about something else', (code) => {
  expect(tlsAdvice(fault('connect 127.0.0.1:6379', code), 'redis.tls')).toBeUndefined();
});

test("OpenSSL's places are left out of its text", () => {
  const text =
    '80CC28AAE47F0000:error:0A000412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate:../deps/openssl/openssl/ssl/record/rec_layer_s3.c:1601:SSL alert number 42\n';
  expect(plainText(`Connection error: ${text}`)).toBe('Connection error: sslv3 alert bad certificate');
  expect(plainText("127.0.0.1 is not in the cert's list: ")).toBe("127.0.0.1 is not in the cert's list");
  expect(plainText('connect ECONNREFUSED 127.0.0.1:1')).toBe('connect ECONNREFUSED 127.0.0.1:1');
});
