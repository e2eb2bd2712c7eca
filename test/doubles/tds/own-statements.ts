import { type ApiResponse, column } from './answer.ts';

/** The statements of the connector itself; undefined for others. */
export function ownAnswer(sql: string, user: string): ApiResponse[] | undefined {
  if (/^\s*set /i.test(sql) && !/select/i.test(sql)) return [];
  if (/sys\.extended_properties/.test(sql)) return [schema];
  if (/IS_SRVROLEMEMBER/.test(sql)) return [rights(user)];
  return undefined;
}

const schema: ApiResponse = {
  columns: ['schema', 'table', 'type', 'comment', 'column', 'columnType', 'nullable', 'columnComment'].map((name) =>
    column(name, name === 'nullable' ? 'bit' : 'nvarchar(4000)'),
  ),
  rows: [
    ['dbo', 'items', 'table', 'what there is', 'id', 'int', '0', null],
    ['dbo', 'items', 'table', 'what there is', 'name', 'nvarchar(50)', '0', null],
    ['dbo', 'items', 'table', 'what there is', 'note', 'nvarchar(max)', '1', 'what else there is to say'],
    ['dbo', 'log', 'table', null, 'number', 'int', '1', null],
    ['dbo', 'named', 'view', null, 'name', 'nvarchar(50)', '0', null],
  ],
};

/** The user `writer` may write, `sa` may do anything, all others read. */
const rights = (user: string): ApiResponse => ({
  columns: ['administers', 'owns', 'writes', 'creates', 'executes'].map((name) => column(name, 'int')),
  rows: [[user === 'sa' ? '1' : '0', user === 'sa' ? '1' : '0', user === 'writer' ? '1' : '0', '0', '0']],
});
