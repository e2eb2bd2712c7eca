import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Tool } from '../app/wire.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { curlOf } from '../components/copy/curl.ts';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';
import { IconPlayerPlay } from '../components/icons.tsx';
import { toInitialValues } from '../components/parameters/parameter-values.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { useRunnableQueries } from '../components/queries/use-runnable-queries.ts';
import { ArgumentFields } from './argument-fields.tsx';
import { callTool, type ToolResponse, toolCall } from './call-tool.ts';
import { argumentsOf, type FieldValues, findMissingFields, toolFields } from './tool-fields.ts';
import { ToolResponseView } from './tool-response-view.tsx';

export interface TryDialogProps {
  readonly tool: Tool;
  readonly starting: FieldValues;
  readonly url: string;
  readonly onFollow: (tool: string, values: FieldValues) => void;
  readonly onClose: () => void;
}

/** Calls a tool as an assistant would, and shows the result. */
export function TryDialog({ tool, starting, url, onFollow, onClose }: TryDialogProps) {
  const fields = toolFields(tool.inputSchema);
  const [values, setValues] = useState(starting);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [response, setResponse] = useState<ToolResponse | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [isCalling, setCalling] = useState(false);
  const { queries } = useRunnableQueries(typeof values.queryName === 'string' ? values.queryName : '');
  const offered = queries.filter(({ aiAccess }) => aiAccess);
  const curl = curlOf(toolCall(tool.name, argumentsOf(fields, values), url));

  const change = (name: string, value: FieldValues[string]) => {
    const query = name === 'queryName' ? offered.find(({ queryName }) => queryName === value) : undefined;
    const defaults = query === undefined ? {} : toInitialValues(query.parameters);
    setValues((before) => ({
      ...before,
      [name]: value,
      // one row for each required parameter
      ...(query === undefined
        ? {}
        : {
            parameters: query.parameters
              .filter(({ required }) => required)
              .map((parameter) => ({ ParameterName: parameter.name, Value: defaults[parameter.name] ?? '' })),
          }),
    }));
  };
  const send = async () => {
    const missing = findMissingFields(fields, values);
    setErrors(missing);
    if (Object.keys(missing).length > 0) return;
    setCalling(true);
    setProblem(null);
    try {
      setResponse(await callTool(tool.name, argumentsOf(fields, values)));
    } catch (error) {
      setProblem(error);
    }
    setCalling(false);
  };
  return (
    <Modal opened onClose={onClose} title={`Try ${tool.name}`} size="xl">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Stack gap="sm">
          <ArgumentFields
            fields={fields}
            values={values}
            onChange={change}
            errors={errors}
            queryNames={offered.map(({ queryName }) => queryName)}
          />
          <Group justify="space-between">
            <CopyButton value={curl} label="Copy cURL" withText />
            <Button type="submit" loading={isCalling} leftSection={<IconPlayerPlay size={16} aria-hidden />}>
              Call tool
            </Button>
          </Group>
          <ProblemAlert error={problem} />
          {response !== null && <ToolResponseView response={response} onFollow={onFollow} />}
          <Text size="xs" c="dimmed">
            The call is real: it runs with your rights and appears in the audit trail under your name. The copied call reads the
            key from the environment variable <Code>{KEY_VARIABLE}</Code>.
          </Text>
        </Stack>
      </form>
    </Modal>
  );
}
