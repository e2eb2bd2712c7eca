/** 1 row, 1,234 rows. */
export const countText = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
