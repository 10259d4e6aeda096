came_from('?module');
