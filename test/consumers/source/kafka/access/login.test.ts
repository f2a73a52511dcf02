import { expect, test } from 'vitest';
import { KafkaLoginError } from '../../../../../src/consumers/source/kafka/access/faults.ts';
import { mskToken } from '../../../../../src/consumers/source/kafka/access/login.ts';

test('a token is made for the region at each connection', async () => {
  const regions: unknown[] = [];
  const token = mskToken('eu-central-1', async () => ({
    generateAuthToken: async ({ region }: { region: string }) => {
      regions.push(region);
      return { token: `token${regions.length}`, expiryTime: 0 };
    },
  }));
  expect([await token(), await token()]).toEqual(['token1', 'token2']);
  expect(regions).toEqual(['eu-central-1', 'eu-central-1']);
});

test('without the package the error says how to get it', async () => {
  const error = await mskToken('eu-central-1', () => Promise.reject(new Error('Cannot find package')))().catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KafkaLoginError);
  expect(error).toMatchObject({
    message: expect.stringContaining('needs the package aws-msk-iam-sasl-signer-js'),
    advice: 'install it beside receval: npm install aws-msk-iam-sasl-signer-js',
  });
});

test('credentials that are missing are reported without what the library says of them', async () => {
  const generateAuthToken = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('c4n4ry'), { name: 'CredentialsProviderError' }));
  const error = await mskToken('eu-central-1', async () => ({ generateAuthToken }))().catch(
    (thrown: unknown) => thrown,
  );
  expect(String(error)).toBe('KafkaLoginError: AWS gives no credentials for msk-iam (CredentialsProviderError)');
});
