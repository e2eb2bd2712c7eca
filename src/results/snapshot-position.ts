/** The position of a reader in a snapshot, with its user and query. */
export interface SnapshotPosition {
  readonly snapshotId: string;
  readonly userId: string;
  readonly queryId: string;
  readonly digest: string; // see digestOf
  readonly rowIndex: number; // the first row of the next page
  readonly rowSize: number;
  readonly view?: KeptView;
}

/** How the pages of a result are bounded and shown to a model; each field as the first page has it. */
export interface KeptView {
  readonly fits?: boolean;
  readonly isTable?: boolean;
  readonly fullCells?: boolean;
  readonly columns?: readonly string[] | string; // see RowView
}

type Position = SnapshotPosition & { readonly chunkIndex?: number };

/** A position in few bytes: a model reads the code of every page, and repeats it. */
export function packPosition({ snapshotId, digest, userId, queryId, ...rest }: Position): Buffer {
  const { rowIndex, rowSize, chunkIndex, view = {} } = rest;
  const chunk = chunkIndex === undefined ? [] : [chunkIndex];
  const columns = view.columns ?? null;
  const more = columns === null && chunk.length === 0 ? [] : [columns, ...chunk];
  const numbers = JSON.stringify([rowIndex, rowSize, packView(view), ...more]);
  return Buffer.concat([
    Buffer.from(snapshotId, 'hex'),
    Buffer.from(digest, 'base64url'),
    packId(userId),
    packId(queryId),
    Buffer.from(numbers.slice(1, -1)),
  ]);
}

export function unpackPosition(bytes: Buffer): Position {
  const user = unpackId(bytes, 2 * ID_BYTES);
  const query = unpackId(bytes, user.end);
  const [rowIndex, rowSize, flags, columns = null, chunkIndex = null] = JSON.parse(`[${bytes.toString('utf8', query.end)}]`);
  return {
    snapshotId: bytes.toString('hex', 0, ID_BYTES),
    digest: bytes.toString('base64url', ID_BYTES, 2 * ID_BYTES),
    userId: user.id,
    queryId: query.id,
    rowIndex,
    rowSize,
    ...(chunkIndex === null ? {} : { chunkIndex }),
    ...(flags === 0 && columns === null ? {} : { view: unpackView(flags, columns) }),
  };
}

export const ID_BYTES = 16;

const viewFlags = ['fits', 'isTable', 'fullCells'] as const;

const packView = (view: KeptView): number =>
  viewFlags.reduce((flags, each, index) => flags | (view[each] === true ? 1 << index : 0), 0);

const unpackView = (flags: number, columns: string | readonly string[] | null): KeptView => ({
  ...Object.fromEntries(viewFlags.flatMap((each, index) => (flags & (1 << index) ? [[each, true]] : []))),
  ...(columns === null ? {} : { columns }),
});

/** A UUID after a zero byte, any other text after its length. */
function packId(id: string): Buffer {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : null;
  const bytes = uuid ?? Buffer.from(id);
  return Buffer.concat([Buffer.of(uuid === null ? bytes.length : 0), bytes]);
}

function unpackId(bytes: Buffer, at: number): { readonly id: string; readonly end: number } {
  const start = at + 1;
  const length = bytes.readUInt8(at);
  if (length > 0) return { id: bytes.toString('utf8', start, start + length), end: start + length };
  const hex = bytes.toString('hex', start, start + ID_BYTES);
  return { id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), end: start + ID_BYTES };
}
