/**
 * JSON.parse that keeps every digit: a number that JavaScript cannot represent exactly stays a string. Browsers without access to the
 * source text of a number (before 2025) round it.
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

/** The significant digits: without sign, point, exponent, leading and trailing zeros. */
const digits = (number: string): string => {
  const [mantissa = ''] = number.toLowerCase().split('e');
  return mantissa.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
};
