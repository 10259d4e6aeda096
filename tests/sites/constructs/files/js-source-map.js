f()
//# sourceMappingURL=s.js.map