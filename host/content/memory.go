package content

import "container/list"

// memory is an LRU cache of Originals.
type memory struct {
	limit, bytes int64
	byName       map[string]*list.Element // of *kept
	order        *list.List               // least recently used first
}

type kept struct {
	name string
	data []byte
}

func newMemory(limit int64) memory {
	return memory{limit: limit, byName: map[string]*list.Element{}, order: list.New()}
}

func (m *memory) get(name string) ([]byte, bool) {
	el := m.byName[name]
	if el == nil {
		return nil, false
	}
	m.order.MoveToBack(el)
	return el.Value.(*kept).data, true
}

func (m *memory) add(name string, data []byte) {
	if _, ok := m.get(name); ok || int64(len(data)) > m.limit {
		return
	}
	m.byName[name] = m.order.PushBack(&kept{name, data})
	m.bytes += int64(len(data))
	for m.bytes > m.limit {
		m.remove(m.order.Front().Value.(*kept).name)
	}
}

func (m *memory) remove(name string) {
	if el := m.byName[name]; el != nil {
		m.bytes -= int64(len(el.Value.(*kept).data))
		m.order.Remove(el)
		delete(m.byName, name)
	}
}
