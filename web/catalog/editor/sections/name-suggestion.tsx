import { Button } from '@mantine/core';
import type { SqlDialect } from '../../../../src/catalog/sql-dialect.ts';
import type { SqlError } from '../../../sql/sql-error.ts';
import type { Schema } from '../../../sql/sql-language.ts';
import { suggestName } from '../../../sql/suggest-name.ts';

export interface NameSuggestionProps {
  readonly sql: string;
  readonly dialect: SqlDialect;
  readonly error: SqlError;
  readonly schema: Schema;
  readonly onMend: (sql: string) => void;
}

/** A button that replaces an unknown table or column with the name that is most like it. */
export function NameSuggestion({ sql, dialect, error, schema, onMend }: NameSuggestionProps) {
  const suggestion = suggestName(sql, dialect, error, schema);
  if (suggestion === null) return null;
  return (
    <Button size="compact-sm" variant="light" onClick={() => onMend(suggestion.sql)}>
      <span>
        Did you mean <code>{suggestion.name}</code>?
      </span>
    </Button>
  );
}
