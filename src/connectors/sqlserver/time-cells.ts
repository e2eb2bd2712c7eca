/** Dates and times as ISO 8601, by integer arithmetic: the time zone of the process has no effect. */

/** Days since the first of January of the year 1, in three bytes. */
export function dateText(bytes: Buffer, start: number): string {
  return dayText(bytes.readUIntLE(start, 3) - daysBefore1970);
}

export function timeText(bytes: Buffer, start: number, end: number, scale: number): string {
  return clockText(bytes.readUIntLE(start, end - start), scale);
}

/** A time and then a day. */
export function timestampText(bytes: Buffer, start: number, end: number, scale: number): string {
  return `${dateText(bytes, end - 3)}T${timeText(bytes, start, end - 3, scale)}`;
}

/** As a timestamp in UTC; the offset after it is not needed. */
export function instantText(bytes: Buffer, start: number, end: number, scale: number): string {
  return `${timestampText(bytes, start, end - 2, scale)}Z`;
}

/** Days since 1900 and three-hundredths of a second, which the server shows in milliseconds. */
export function dateTimeText(bytes: Buffer, start: number): string {
  const milliseconds = Math.round((bytes.readInt32LE(start + 4) * 10) / 3);
  return `${dayText(bytes.readInt32LE(start) - days1900To1970)}T${clockText(milliseconds, 3)}`;
}

/** Days since 1900 and minutes. */
export function smallDateTimeText(bytes: Buffer, start: number): string {
  return `${dayText(bytes.readUInt16LE(start) - days1900To1970)}T${clockText(bytes.readUInt16LE(start + 2) * 60, 0)}`;
}

const daysBefore1970 = 719_162;
const days1900To1970 = 25_567;
const msADay = 86_400_000;

/** The years of all these types are 1 to 9999. */
const dayText = (days: number): string => new Date(days * msADay).toISOString().slice(0, 10);

/** `units` of ten to the power of minus `scale` seconds. */
function clockText(units: number, scale: number): string {
  const perSecond = 10 ** scale;
  const seconds = Math.floor(units / perSecond);
  const fraction = units % perSecond;
  const clock = `${padTwo(Math.floor(seconds / 3600))}:${padTwo(Math.floor(seconds / 60) % 60)}:${padTwo(seconds % 60)}`;
  return fraction === 0
    ? clock
    : `${clock}.${String(fraction)
        .padStart(scale, '0')
        .replace(/(?<!0)0+$/, '')}`;
}

const padTwo = (value: number): string => String(value).padStart(2, '0');
