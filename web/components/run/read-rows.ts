/**
 * JSON.parse that keeps every digit: a number that JavaScript cannot hold exactly as it was written stays the text it was. Browsers that
 * do not tell the source of a number (before 2025) round it, as they always did.
 */
export function readRows(text: string): unknown {
  return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && isRounded(value, context.source) ? context.source : value,
  );
}

const isRounded = (value: number, source: string): boolean => {
  if (source.length < 16) return false; // 15 digits always fit
  return String(value) !== source && digits(String(value)) !== digits(source);
};

/** The digits that count: no sign, point, exponent, leading or trailing zeros. */
const digits = (number: string): string => {
  const [mantissa = ''] = number.toLowerCase().split('e');
  return mantissa.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
};
