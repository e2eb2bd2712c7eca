import { Code, Paper } from '@mantine/core';
import { EmptyState } from '../components/empty-state.tsx';
import { IconPlugOff } from '../components/icons.tsx';

/** In place of a page about applications that sign people in, where they cannot. */
export const SignInOff = () => (
  <Paper withBorder>
    <EmptyState title="AI applications cannot sign people in" icon={IconPlugOff}>
      <Code>SLUICE_MCP</Code> or <Code>SLUICE_OAUTH</Code> is off, or the base URL has no https.
    </EmptyState>
  </Paper>
);
