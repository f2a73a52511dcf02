import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onPath, run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import { fetchOnce } from './fetch-once.ts';

/** The newest of each line that has been tried. */
export type KafkaVersion = '3.9.2' | '4.3.1';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/receval-services');
const POM = resolve(import.meta.dirname, 'kafka/pom.xml');
const PACKAGES = { java: 'openjdk-17-jre-headless', mvn: 'maven' } as const;

/** What it takes to run a class of Kafka. */
export interface KafkaJars {
  readonly java: string;
  readonly folder: string;
  readonly classPath: string;
}

/** A Java and the jars of a broker, fetched once by Maven from Maven Central. @throws ServiceMissing */
export async function kafkaJars(version: KafkaVersion): Promise<KafkaJars> {
  const java = await program('java');
  const folder = join(CACHE, `kafka-${version}`);
  if (!existsSync(folder)) {
    const mvn = await program('mvn');
    mkdirSync(CACHE, { recursive: true });
    await fetchOnce(
      join(CACHE, `kafka-${version}.lock`),
      () => existsSync(folder),
      () => download(mvn, version, folder),
    );
  }
  return { java, folder, classPath: `${folder}/*` };
}

async function download(mvn: string, version: KafkaVersion, folder: string): Promise<void> {
  process.stderr.write(`tests: fetching Kafka ${version} from Maven Central into ${folder}\n`);
  const part = mkdtempSync(join(CACHE, 'kafka-part-'));
  try {
    const outcome = await run(mvn, [
      '-q',
      '-B',
      `--file=${POM}`,
      `-Dkafka.version=${version}`,
      '-DincludeScope=runtime',
      `-DoutputDirectory=${part}/jars`,
      'dependency:copy-dependencies',
    ]);
    const jars = outcome.code === 0 ? readdirSync(join(part, 'jars')) : [];
    if (!jars.includes(`kafka_2.13-${version}.jar`)) {
      throw new ServiceMissing(`Maven cannot get Kafka ${version}: ${(outcome.stdout + outcome.stderr).slice(-500)}`);
    }
    renameSync(join(part, 'jars'), folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

async function program(command: keyof typeof PACKAGES): Promise<string> {
  const path = process.env['PATH'] ?? '';
  const found = onPath(command, path);
  if (found !== undefined) return found;
  const advice = `apt-get install -y --no-install-recommends ${PACKAGES.java} ${PACKAGES.mvn}`;
  const aptGet = onPath('apt-get', path);
  if (aptGet === undefined || process.getuid?.() !== 0) {
    throw new ServiceMissing(`there is no ${command} on the PATH; as root, on Debian: ${advice}`);
  }
  await fetchOnce(
    join(CACHE, 'java.lock'),
    () => onPath(command, path) !== undefined,
    async () => {
      process.stderr.write(`tests: ${advice}\n`);
      const install = ['install', '-y', '--no-install-recommends', PACKAGES.java, PACKAGES.mvn];
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      const first = await run(aptGet, install, { env });
      if (first.code === 0) return;
      await run(aptGet, ['update'], { env });
      const second = await run(aptGet, install, { env });
      if (second.code !== 0)
        throw new ServiceMissing(`cannot get ${command} (${second.stderr.slice(-300)}): ${advice}`);
    },
  );
  const installed = onPath(command, path);
  if (installed === undefined)
    throw new ServiceMissing(`there is no ${command} on the PATH; as root, on Debian: ${advice}`);
  return installed;
}
