import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import { engineOf } from '../../app/engine-of.ts';
import { can } from '../../app/session.tsx';
import type { Database, Session } from '../../app/wire.ts';
import { actionsColumn, type Column } from '../../components/lists/data-table.tsx';
import { RowButton } from '../../components/lists/row-button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';

export interface DatabaseColumnsOptions {
  readonly session: Session;
  readonly testing: string | null; // id of the database that the user tests
  readonly retesting: string | null; // id of the database that is tested in the background
  readonly onTest: (database: Database) => void;
  readonly onTables: (database: Database) => void;
  readonly onEdit: (database: Database) => void;
  readonly onDelete: (database: Database) => void;
}

export function databaseColumns(options: DatabaseColumnsOptions): readonly Column<Database>[] {
  return [
    { header: 'Database', render: (database) => <Name database={database} /> },
    { header: 'Kind', render: ({ kind }) => engineOf(kind).label, width: 150 },
    {
      header: 'Connection',
      render: ({ connection = {} }) => <Code style={{ overflowWrap: 'anywhere' }}>{connectionText(connection)}</Code>,
      width: 200,
    },
    { header: 'State', render: (database) => <State database={database} isTesting={options.retesting === database.id} /> },
    actionsColumn((database) => <Actions database={database} {...options} />),
  ];
}

const Name = ({ database: { name, description } }: { readonly database: Database }) => (
  <Stack gap={0} maw={320}>
    <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
      {name}
    </Text>
    <Text size="xs" c="dimmed" lineClamp={2}>
      {description}
    </Text>
  </Stack>
);

function State({ database, isTesting }: { readonly database: Database; readonly isTesting: boolean }) {
  const { disabled, writable, builtIn, lastTest } = database;
  const isFailing = disabled !== true && lastTest?.ok === false;
  return (
    <Stack gap={4} maw={260}>
      <Group gap={6}>
        <StatusBadge status={disabled === true ? 'Disabled' : isFailing ? 'Test failed' : 'Enabled'} />
        {writable === true && (
          <Badge variant="light" miw="max-content" color="yellow">
            Writable
          </Badge>
        )}
        {builtIn === true && (
          <Badge variant="light" miw="max-content" color="gray">
            Demo
          </Badge>
        )}
      </Group>
      {disabled !== true && (
        <Text size="xs" c="dimmed" component="div">
          {isTesting ? (
            'Testing…'
          ) : lastTest == null ? (
            'Not tested yet'
          ) : (
            <>
              {isFailing && `${lastTest.message} `}
              Tested <Time at={lastTest.at} as="relative" />
            </>
          )}
        </Text>
      )}
    </Stack>
  );
}

function Actions(props: { readonly database: Database } & DatabaseColumnsOptions) {
  const { database, session, testing, onTest, onTables, onEdit, onDelete } = props;
  const { id, name, disabled } = database;
  const seesTables = can(session, 'queries.author') && isInScope(session, name) && disabled !== true;
  return (
    <Group gap={0} wrap="nowrap" justify="flex-end">
      <RowButton action="Test" of={name} isBusy={testing === id} onClick={() => onTest(database)} />
      {seesTables && <RowButton action="Tables" of={`of ${name}`} onClick={() => onTables(database)} />}
      <RowButton action="Edit" of={name} onClick={() => onEdit(database)} />
      <RowButton action="Delete" of={name} danger onClick={() => onDelete(database)} />
    </Group>
  );
}

const isInScope = ({ databases }: Session, name: string): boolean => databases.includes('*') || databases.includes(name);

/** The location without the account: `db.example.com:5432/sales`, `sales.db`. */
function connectionText({ file, host, port, database }: Readonly<Record<string, unknown>>): string {
  if (typeof file === 'string') return file.split('/').at(-1) ?? file;
  const at = port === undefined ? String(host ?? '') : `${host}:${port}`;
  return database === undefined ? at : `${at}/${database}`;
}
