/** Does `work` for each item, some at a time, and returns the results in the order of the items. */
export async function mapAtOnce<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const runNext = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  return results;
}
