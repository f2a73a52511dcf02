/** What Node.js warns of meanwhile, such as of listeners that it takes for a leak. */
export async function warningsOf(work: () => Promise<void>): Promise<readonly string[]> {
  const warnings: string[] = [];
  const listen = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', listen);
  try {
    await work();
    // A warning is reported in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('warning', listen);
  }
  return warnings;
}
