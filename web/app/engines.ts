// Generated from src/connectors/engines.ts by web/generate-api-types.ts. Do not edit.

import type { EngineDescription } from '../../src/catalog/engine.ts';

export const engines: readonly EngineDescription[] = [
  {
    "kind": "duckdb",
    "label": "DuckDB",
    "connection": "file",
    "settings": [],
    "dialect": {
      "name": "duckdb",
      "keywords": "standard",
      "quotes": "'\"",
      "backslashIn": "",
      "escapeStrings": true,
      "brackets": "none",
      "dollarQuotes": true,
      "lineComment": /--[^\n\r]*/y,
      "nestedComments": true,
      "operatorRuns": true,
      "localVariables": "none",
      "skipsNullInLists": false
    }
  },
  {
    "kind": "sqlite",
    "label": "SQLite",
    "connection": "file",
    "settings": [],
    "dialect": {
      "name": "sqlite",
      "keywords": "sqlite",
      "quotes": "'\"`",
      "backslashIn": "",
      "escapeStrings": false,
      "brackets": "plain",
      "dollarQuotes": false,
      "lineComment": /--[^\n]*/y,
      "nestedComments": false,
      "operatorRuns": false,
      "localVariables": "none",
      "skipsNullInLists": false
    }
  },
  {
    "kind": "postgres",
    "label": "PostgreSQL",
    "connection": {
      "port": 5432
    },
    "settings": [
      {
        "name": "connectTimeoutSeconds",
        "label": "Connect timeout (seconds)",
        "description": "1 to 30.",
        "input": "number",
        "placeholder": "5"
      }
    ],
    "dialect": {
      "name": "postgres",
      "keywords": "postgres",
      "quotes": "'\"",
      "backslashIn": "",
      "escapeStrings": true,
      "brackets": "none",
      "dollarQuotes": true,
      "lineComment": /--[^\n\r]*/y,
      "nestedComments": true,
      "operatorRuns": true,
      "localVariables": "none",
      "skipsNullInLists": false
    }
  },
  {
    "kind": "mysql",
    "label": "MySQL or MariaDB",
    "connection": {
      "port": 3306
    },
    "settings": [
      {
        "name": "connectTimeoutSeconds",
        "label": "Connect timeout (seconds)",
        "description": "1 to 30.",
        "input": "number",
        "placeholder": "5"
      }
    ],
    "dialect": {
      "name": "mysql",
      "keywords": "mysql",
      "quotes": "'\"`",
      "backslashIn": "'\"",
      "escapeStrings": false,
      "brackets": "none",
      "dollarQuotes": false,
      "lineComment": /(?:--(?=[\s\p{Cc}]|$)|#)[^\n]*/uy,
      "nestedComments": false,
      "operatorRuns": false,
      "localVariables": "mysql",
      "skipsNullInLists": false
    }
  },
  {
    "kind": "sqlserver",
    "label": "SQL Server",
    "connection": {
      "port": 1433
    },
    "settings": [
      {
        "name": "connectTimeoutSeconds",
        "label": "Connect timeout (seconds)",
        "description": "1 to 30.",
        "input": "number",
        "placeholder": "5"
      }
    ],
    "dialect": {
      "name": "sqlserver",
      "keywords": "sqlserver",
      "quotes": "'\"",
      "backslashIn": "",
      "escapeStrings": false,
      "brackets": "doubled",
      "dollarQuotes": false,
      "lineComment": /--[^\n]*/y,
      "nestedComments": true,
      "operatorRuns": false,
      "localVariables": "sqlserver",
      "skipsNullInLists": false
    },
    "testedOnly": "a simulated server"
  },
  {
    "kind": "clickhouse",
    "label": "ClickHouse",
    "connection": {
      "port": 8123,
      "tlsPort": 8443,
      "defaultDatabase": "default"
    },
    "settings": [
      {
        "name": "connectTimeoutSeconds",
        "label": "Connect timeout (seconds)",
        "description": "1 to 30.",
        "input": "number",
        "placeholder": "5"
      },
      {
        "name": "compression",
        "label": "Compression",
        "description": "Compressed results need less of the network and more of the processors.",
        "input": "options",
        "options": [
          {
            "value": null,
            "label": "Automatic (from other machines, with Zstandard)"
          },
          {
            "value": true,
            "label": "On (for slow networks, also with gzip)"
          },
          {
            "value": false,
            "label": "Off (for fast networks)"
          }
        ],
        "section": "Long results"
      }
    ],
    "dialect": {
      "name": "clickhouse",
      "keywords": "standard",
      "quotes": "'\"`",
      "backslashIn": "'\"`",
      "escapeStrings": false,
      "brackets": "none",
      "dollarQuotes": true,
      "lineComment": /(?:--|\/\/|#[ !])[^\n]*/y,
      "nestedComments": true,
      "operatorRuns": false,
      "localVariables": "none",
      "skipsNullInLists": true
    },
    "testedOnly": "version 18.16 and a simulated server"
  },
  {
    "kind": "trino",
    "label": "Trino",
    "connection": {
      "port": 8080,
      "tlsPort": 8443,
      "databaseLabel": "Catalog"
    },
    "settings": [
      {
        "name": "connectTimeoutSeconds",
        "label": "Connect timeout (seconds)",
        "description": "1 to 30.",
        "input": "number",
        "placeholder": "5"
      },
      {
        "name": "schema",
        "label": "Schema",
        "description": "Default schema for tables.",
        "input": "text"
      },
      {
        "name": "timeZone",
        "label": "Time zone",
        "description": "For times without a time zone.",
        "input": "text",
        "placeholder": "UTC"
      },
      {
        "name": "session",
        "label": "Session properties",
        "description": "One per line: name=value.",
        "input": "properties"
      }
    ],
    "dialect": {
      "name": "trino",
      "keywords": "standard",
      "quotes": "'\"`",
      "backslashIn": "",
      "escapeStrings": false,
      "brackets": "none",
      "dollarQuotes": false,
      "lineComment": /--[^\n\r]*/y,
      "nestedComments": false,
      "operatorRuns": false,
      "localVariables": "none",
      "skipsNullInLists": false
    },
    "testedOnly": "a simulated server"
  }
];
