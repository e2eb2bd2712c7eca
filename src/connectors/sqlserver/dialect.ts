import { type SqlDialect, standardSql } from '../../catalog/sql-dialect.ts';

export const dialect: SqlDialect = {
  ...standardSql,
  name: 'sqlserver',
  keywords: 'sqlserver',
  brackets: 'doubled',
  nestedComments: true,
  localVariables: 'sqlserver',
};
