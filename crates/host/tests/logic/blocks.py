state.data['count'] = state.data.get('count', 0) + 1
# ----
print(f"query: {state.data.get('query', '')[:10]}")
# ----
items = state.data.get('items', [])
state.data['best'] = [i for i in items if i.get('score', 0) > 0.5]
# ----
if state.data['flag']:
    return state
state.data['late'] = True
# ----
state.data['tags'] = sorted(set(state.data.get('tags', [])))
# ----
tags = state.data['tags']
tags.append('new')
print(len(tags), tags)
# ----
state.data['top'] = sorted(state.data['items'], key=lambda i: i['score'], reverse=True)[:2]
# ----
best = max(state.data['items'], key=lambda i: i['score'])
state.data['best'] = best['name']
# ----
for i, item in enumerate(state.data['items']):
    item['rank'] = i + 1
# ----
total = 0
for item in state.data['items']:
    if item['score'] < 0:
        continue
    total += item['score']
state.data['total'] = round(total, 2)
# ----
state.data['text'] = '\n'.join(f"- {t.strip()}" for t in state.data['tags'])
# ----
try:
    x = int(state.data['query'])
except ValueError as error:
    print('no number:', error)
    x = -1
finally:
    print('done')
state.data['x'] = x
# ----
notes = state.data.setdefault('notes', {})
notes['seen'] = notes.get('seen', 0) + 1
print(notes)
# ----
state.data['score'] = state.data['score'] * 2 if state.data.get('flag') else None
# ----
print(state.data['score'], 1 / 3, 1e21, 1e-7, 10 / 2, 7 // 2, -7 // 2, -7 % 3, 2 ** 10)
# ----
first, *rest = state.data['tags']
state.data['first'] = first
state.data['rest'] = rest
# ----
a, b = state.data['count'], state.data['score']
state.data['pair'] = [b, a]
# ----
history = state.data.get('history', [])
history.append({'q': state.data.get('query'), 'n': len(history)})
state.data['history'] = history[-3:]
# ----
words = state.data['query'].split()
state.data['words'] = {w: len(w) for w in words}
# ----
state.data['upper'] = state.data['query'].upper().replace('A', '*').strip()
# ----
print('%s' in state.data['query'], state.data['query'].find('a'), state.data['query'].count('e'))
# ----
n = 0
while n < state.data['count']:
    n += 1
    if n == 5:
        break
else:
    n = -n
state.data['n'] = n
# ----
if isinstance(state.data.get('notes'), dict) and state.data['notes']:
    print(list(state.data['notes'].items()))
# ----
state.data['all'] = all(i['score'] > 0 for i in state.data['items'])
state.data['any'] = any(i['score'] > 0 for i in state.data['items'])
# ----
print(json.dumps(state.data, sort_keys=True))
# ----
print(json.dumps(state.data['items'], indent=2))
state.data['copy'] = json.loads(json.dumps(state.data['notes']))
# ----
x = state.data['missing']
# ----
x = 1
y = state.data['tags'][99]
# ----
def f(n):
    return n / 0

if state.data['flag']:
    f(1)
# ----
print(state.data['query'] + 1)
# ----
raise ValueError(f"bad count {state.data['count']}")
# ----
import re
found = re.findall(r'[a-z]+', state.data['query'])
state.data['found'] = found
# ----
from collections import Counter
state.data['counts'] = dict(Counter(state.data['tags']))
# ----
state.data.pop('tags')
state.data.update({'count': 0, 'z': [1, (2, 3)]})
print(list(state.data))
# ----
a = state.data['items']
b = a
b.append({'name': 'x', 'score': 0.5})
print(len(a), a is b)
# ----
state.data['slice'] = [state.data['query'][1:4], state.data['query'][-3:], state.data['tags'][:1]]
# ----
print(f"{state.data['score']:.2f}|{state.data['count']:>5}|{state.data['query']!r}|{state.data['count']:04d}")
# ----
print(str(state.data['flag']), repr(state.data['query']), None, [True, 1.0, 'x'], {'a': None})
# ----
result = {}
for item in state.data['items']:
    key = 'high' if item['score'] >= 0.5 else 'low'
    result.setdefault(key, []).append(item['name'])
state.data['groups'] = result
# ----
state.data['bounds'] = [min(state.data['count'], 3), max(-1, state.data['count']), abs(-2), sum([1, 2.5])]
# ----
state.data['zipped'] = list(zip(state.data['tags'], range(3)))
print(state.data['zipped'])
# ----
assert state.data['count'] > 3, 'too few'
print('enough')
# ----
text = '''one
  two'''
print(text)
state.data['lines'] = text.splitlines()
